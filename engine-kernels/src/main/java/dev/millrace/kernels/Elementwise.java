package dev.millrace.kernels;

import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.expression.ElementwiseFamily;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprInputs;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;

/** An elementwise expression over fp32 inputs, as one kernel. Safe for use by several threads. */
public final class Elementwise {
    /** Less than this is not worth another thread. */
    private static final long MIN_PER_TASK = 8 * 1024;
    /** Parts start at a multiple of this, so that no two threads write to the same cache line. */
    private static final long GRAIN = 64;

    private final KernelSet kernels;
    private final KernelKey key;
    private final ExprInputs reads;
    private final Kernel kernel;

    Elementwise(KernelSet kernels, Expr expression) {
        this.kernels = kernels;
        this.key = ElementwiseFamily.key(expression);
        this.reads = ExprInputs.of(expression);
        this.kernel = kernels.kernel(key);
    }

    /** Names the kernel, for a process that wants it later. */
    public KernelKey key() {
        return key;
    }

    /**
     * Computes {@code out[i]} from element i of the inputs, for i below {@code count}. No segment may be freed before
     * that is done.
     *
     * @param inputs native memory (heap memory only where kernels are interpreted), one for each number up to the
     *     highest in the expression; an input may be {@code out} itself, but must not overlap it otherwise
     */
    public void run(List<MemorySegment> inputs, MemorySegment out, long count, Parallel parallel) {
        check(inputs, out, count);
        long tasks = Math.max(1, Math.min(parallel.width(), count / MIN_PER_TASK));
        if (tasks == 1) {
            part(inputs, out, 0, count);
            return;
        }
        long each = (count / tasks + GRAIN - 1) / GRAIN * GRAIN;
        parallel.run((int) tasks, task -> {
            long from = Math.min(count, task * each);
            part(inputs, out, from, task == tasks - 1 ? count : Math.min(count, from + each));
        });
    }

    private void check(List<MemorySegment> inputs, MemorySegment out, long count) {
        Extents.vector("the output", out, count);
        Extents.writable("the output", out);
        for (Expr.Input input : reads.inputs()) {
            Extents.vector("input " + input.index(), given(inputs, input.index()), count);
        }
        for (Expr.Single single : reads.singles()) {
            Extents.vector("input " + single.index(), given(inputs, single.index()), 1);
        }
    }

    private MemorySegment given(List<MemorySegment> inputs, int index) {
        if (index >= inputs.size()) {
            throw new IllegalArgumentException(
                    key + " reads input " + index + ", but " + inputs.size() + " inputs were given");
        }
        return inputs.get(index);
    }

    private void part(List<MemorySegment> inputs, MemorySegment out, long from, long to) {
        Memory memory = kernels.newMemory();
        long[] pointers = new long[Expr.MAX_INPUTS];
        for (Expr.Input input : reads.inputs()) {
            pointers[input.index()] = memory.pointer(inputs.get(input.index())) + 4 * from;
        }
        for (Expr.Single single : reads.singles()) {
            pointers[single.index()] = memory.pointer(inputs.get(single.index()));
        }
        long target = memory.pointer(out) + 4 * from;
        try {
            kernel.call(memory, target, to - from, pointers[0], pointers[1], pointers[2], pointers[3]);
        } finally {
            Reference.reachabilityFence(inputs);
            Reference.reachabilityFence(out);
        }
    }
}
