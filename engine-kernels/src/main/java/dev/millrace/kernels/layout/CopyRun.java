package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A nest with its kernel: cuts one loop into parts for threads, and does the loops around the calls. */
final class CopyRun {
    private static final int INNER = 0;
    private static final int MIDDLE = 1;
    private static final int OUTER = 2;

    private final KernelSet kernels;
    private final CopyNest nest;
    private final CompiledKernel kernel;
    private final MemorySegment strides;
    /** The loops of the kernel, inner, middle, outer; then those around it, from the innermost. */
    private final CopyLoop[] loops;

    private final long[] grains;

    CopyRun(KernelSet kernels, CopyNest nest) {
        this.kernels = kernels;
        this.nest = nest;
        kernel = kernels.kernel(nest.key());
        List<CopyLoop> all = new ArrayList<>(List.of(nest.inner(), nest.middle(), nest.outer()));
        all.addAll(nest.around().reversed());
        loops = all.toArray(CopyLoop[]::new);
        grains = new long[loops.length];
        Arrays.fill(grains, 1);
        grains[MIDDLE] = nest.middleGrain();
        grains[INNER] = nest.innerGrain();
        strides = Arena.ofAuto().allocate(Long.BYTES * LoopNest.STRIDES, Long.BYTES);
        for (int i = INNER; i <= OUTER; i++) {
            strides.setAtIndex(ValueLayout.JAVA_LONG, 2 * i, loops[i].to());
            strides.setAtIndex(ValueLayout.JAVA_LONG, 2 * i + 1, loops[i].from());
        }
    }

    private long pieces(int loop) {
        return grains[loop] == 0 ? 1 : loops[loop].count() / grains[loop];
    }

    void run(MemorySegment from, MemorySegment to, Parallel parallel) {
        long wanted = ParallelThresholds.tasks(nest.bytes(), ParallelThresholds.BYTES, parallel.width());
        int cut = wanted == 1 ? OUTER : cut(wanted);
        long pieces = pieces(cut);
        int tasks = (int) Math.min(wanted, pieces);
        if (tasks == 1) {
            part(from, to, OUTER, 0, loops[OUTER].count());
            return;
        }
        parallel.run(tasks, task -> {
            long start = pieces * task / tasks * grains[cut];
            long end = task == tasks - 1 ? loops[cut].count() : pieces * (task + 1) / tasks * grains[cut];
            part(from, to, cut, start, end);
        });
    }

    /** The outermost loop that can be cut evenly, or the one with the most pieces. */
    private int cut(long tasks) {
        int best = OUTER;
        for (int loop = loops.length - 1; loop >= 0; loop--) {
            long pieces = pieces(loop);
            if (pieces >= 4 * tasks || pieces >= tasks && pieces % tasks == 0) {
                return loop;
            }
            best = pieces > pieces(best) ? loop : best;
        }
        return best;
    }

    private void part(MemorySegment from, MemorySegment to, int cut, long start, long end) {
        long[] counts = new long[loops.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = i == cut ? end - start : loops[i].count();
        }
        Memory memory = kernels.newMemory();
        long target = memory.pointer(to) + nest.to() + start * loops[cut].to();
        long source = memory.pointer(from) + nest.from() + start * loops[cut].from();
        try {
            calls(memory, memory.pointer(strides), loops.length - 1, counts, target, source);
        } finally {
            Reference.reachabilityFence(from);
            Reference.reachabilityFence(to);
            Reference.reachabilityFence(strides);
        }
    }

    private void calls(Memory memory, long block, int loop, long[] counts, long to, long from) {
        if (loop <= OUTER) {
            kernel.call(memory, to, from, block, counts[INNER], counts[MIDDLE], counts[OUTER]);
            return;
        }
        for (long i = 0; i < counts[loop]; i++) {
            calls(memory, block, loop - 1, counts, to + i * loops[loop].to(), from + i * loops[loop].from());
        }
    }
}
