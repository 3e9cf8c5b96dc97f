package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Extents;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.Worth;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;

/**
 * Attention of fp32 queries to keys and values, each row's softmax being done block by block of keys. Keys may lie in a
 * larger buffer than are valid, so that a cache is read in place. Memory is native (heap memory only where kernels are
 * interpreted). Safe for use by several threads.
 */
public final class Attention {
    private final KernelSet kernels;
    private final ScoreRule rule;
    private final AttentionKernels steps;

    /** @param empty what becomes of rows that no key takes part in; ONNX has zeros */
    public Attention(KernelSet kernels, ScoreRule rule, FinishRows.Empty empty) {
        this.kernels = kernels;
        this.rule = rule;
        this.steps = new AttentionKernels(kernels, rule, empty);
    }

    /** What {@link #run} needs as scratch memory for so many threads. */
    public long scratchBytes(AttentionShape shape, int threads) {
        return Math.multiplyExact(
                threads, AttentionLayout.of(shape, kernels.target()).bytes());
    }

    /**
     * Computes the output. No operand may be freed before it is done.
     *
     * @param scratch memory of this call alone, as {@link #scratchBytes} says for the width of parallel
     * @throws IllegalArgumentException if the operands do not fit together
     * @throws IndexOutOfBoundsException if an operand is smaller than its shape
     */
    public void run(AttentionCall call, MemorySegment scratch, Parallel parallel) {
        bind(call, scratch, parallel.width()).run(parallel);
    }

    /**
     * A call that is run again and again, by one caller at a time.
     *
     * @param scratch memory of this call alone, as {@link #scratchBytes} says for so many threads
     * @param threads how wide those who run it are at most
     */
    public BoundAttention bind(AttentionCall call, MemorySegment scratch, int threads) {
        call.check(rule);
        AttentionShape shape = call.shape();
        AttentionLayout layout = AttentionLayout.of(shape, kernels.target());
        long units = (long) shape.batch()
                * shape.keyHeads()
                * layout.headsOfRows(shape)
                * (shape.queries() == 0 ? 0 : layout.blocksOfRows(shape));
        long work = (long) shape.batch()
                * shape.heads()
                * shape.queries()
                * shape.keys()
                * (shape.depth() + shape.valueDepth());
        int tasks = (int) Math.min(Math.min(threads, units), 1 + work / Worth.least(Worth.PRODUCTS, threads));
        Extents.bytes("the scratch", scratch, tasks * layout.bytes());
        Extents.writable("the scratch", scratch);
        Extents.apart("the scratch", scratch, "the output", call.out().data());
        var parts = new ArrayList<AttentionTask>();
        for (int task = 0; task < tasks; task++) {
            parts.add(new AttentionTask(
                    kernels, steps, layout, call, scratch.asSlice(task * layout.bytes(), layout.bytes())));
        }
        return new BoundAttention(call, scratch, parts.toArray(AttentionTask[]::new), units);
    }
}
