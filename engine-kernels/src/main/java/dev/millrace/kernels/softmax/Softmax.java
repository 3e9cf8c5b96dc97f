package dev.millrace.kernels.softmax;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Softmax of fp32 numbers over one axis, or its logarithm. Numbers whose share is below the smallest normal number get
 * 0, so those of negative infinity do; a row with a NaN, or of negative infinities alone, becomes NaN. Memory is native
 * (heap memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class Softmax {
    /** Columns start at a multiple of this for each thread, so that no two write to the same cache line. */
    private static final long GRAIN = 16;

    private final KernelSet kernels;
    private final CompiledKernel rows;
    private final CompiledKernel columns;

    private Softmax(KernelSet kernels, boolean log) {
        this.kernels = kernels;
        rows = kernels.kernel(SoftmaxRows.key(log));
        columns = kernels.kernel(SoftmaxColumns.key(log));
    }

    public static Softmax of(KernelSet kernels) {
        return new Softmax(kernels, false);
    }

    public static Softmax logarithm(KernelSet kernels) {
        return new Softmax(kernels, true);
    }

    /**
     * Over the middle one of three axes of a dense tensor.
     *
     * @param out may be {@code in}, but not overlap it otherwise
     */
    public void run(MemorySegment in, MemorySegment out, long outer, long axis, long inner, Parallel parallel) {
        if (outer < 0 || axis < 0 || inner < 0) {
            throw new IllegalArgumentException("a softmax has no shape of " + outer + ", " + axis + ", " + inner);
        }
        long elements = Math.multiplyExact(Math.multiplyExact(outer, axis), inner);
        CallChecks.vector("the input", in, elements);
        CallChecks.vector("the output", out, elements);
        CallChecks.writable("the output", out);
        CallChecks.sameOrApart("the output", out, "the input", in, Float.BYTES * elements);
        if (elements == 0) {
            return;
        }
        try {
            if (inner == 1) {
                RowPartitioner.run(outer, axis, parallel, (first, count) -> {
                    Memory memory = kernels.newMemory();
                    long offset = 4 * first * axis;
                    rows.call(memory, memory.pointer(in) + offset, memory.pointer(out) + offset, count, axis, 0, 0);
                });
            } else {
                long blocks = (inner + GRAIN - 1) / GRAIN;
                RowPartitioner.run(outer * blocks, axis * GRAIN, parallel, (first, count) -> {
                    for (long at = first; at < first + count; ) {
                        long image = at / blocks;
                        long end = Math.min((image + 1) * blocks, first + count);
                        columns(in, out, image * axis * inner, axis, inner, at % blocks, end - image * blocks);
                        at = end;
                    }
                });
            }
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }

    private void columns(
            MemorySegment in, MemorySegment out, long start, long axis, long inner, long firstBlock, long endBlock) {
        Memory memory = kernels.newMemory();
        long first = firstBlock * GRAIN;
        long count = Math.min(inner, endBlock * GRAIN) - first;
        long offset = 4 * (start + first);
        columns.call(memory, memory.pointer(in) + offset, memory.pointer(out) + offset, count, axis, inner, 0);
    }
}
