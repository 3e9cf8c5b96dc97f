package dev.millrace.kernels.select;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Running sums of 32-bit elements along an axis. Safe for use by several threads. */
public final class PrefixSum {
    private final KernelSet kernels;
    private final Kernel rows;
    private final Kernel columns;

    public PrefixSum(KernelSet kernels, SumRule rule) {
        this.kernels = kernels;
        rows = kernels.kernel(SumsOfRow.key(rule));
        columns = kernels.kernel(SumsOfColumns.key(rule));
    }

    /** Sums up; the output may be the data itself, but must not overlap it otherwise. */
    public void run(AxisShape shape, MemorySegment data, MemorySegment out, Parallel parallel) {
        shape.check("the data", data);
        shape.check("the output", out);
        Extents.writable("the output", out);
        if (shape.elements() == 0) {
            return;
        }
        try {
            Lines.split(shape, parallel, (outer, inner, lines) -> {
                Memory memory = kernels.newMemory();
                long first = 4 * (outer * shape.count() * shape.inner() + inner);
                long from = memory.pointer(data) + first;
                long to = memory.pointer(out) + first;
                if (shape.inner() == 1) {
                    rows.call(memory, from, to, lines, shape.count(), 0, 0);
                } else {
                    columns.call(memory, from, to, shape.count(), 4 * shape.inner(), lines, 0);
                }
            });
        } finally {
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
        }
    }
}
