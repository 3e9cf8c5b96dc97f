package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** A copy, ready to be run. Safe for use by several threads. */
public final class Copier {
    private final StridedCopy copy;
    private final List<CopyRun> runs;

    public Copier(KernelSet kernels, StridedCopy copy) {
        this.copy = copy;
        runs = CopyNest.of(copy, kernels.target()).stream()
                .map(nest -> new CopyRun(kernels, nest))
                .toList();
    }

    /**
     * Copies. No segment may be freed before that is done.
     *
     * @param from native memory (heap memory only where kernels are interpreted)
     * @throws IndexOutOfBoundsException if something would be read or written outside of its segment
     * @throws IllegalArgumentException if the segments overlap
     */
    public void run(MemorySegment from, MemorySegment to, Parallel parallel) {
        copy.check(to, from);
        for (CopyRun run : runs) {
            run.run(from, to, parallel);
        }
    }
}
