package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;

/**
 * Attention of fp32 queries to keys and values, block by block of keys with an online softmax (Milakov and Gimelshein,
 * "Online normalizer calculation for softmax", 2018), so that the scores are never stored as a whole. Keys may be in a
 * buffer that is larger than the valid ones, so that a cache is read in place. Memory is native (heap memory only where
 * kernels are interpreted). Safe for use by several threads.
 */
public final class Attention {
    private final KernelSet kernels;
    private final ScoreRule rule;
    private final AttentionKernelTable steps;

    /** @param empty the result of rows in which no key takes part; zeros in ONNX, and where there are sinks */
    public Attention(KernelSet kernels, ScoreRule rule, FinishRows.Empty empty) {
        this.kernels = kernels;
        this.rule = rule;
        this.steps = new AttentionKernelTable(kernels, rule, empty);
    }

    /** The scratch memory that {@link #run} needs for a number of threads, in bytes. */
    public long scratchBytes(AttentionShape shape, int threads) {
        return scratchBytes(shape, threads, false);
    }

    /**
     * The scratch memory that {@link #run} needs for a number of threads, in bytes.
     *
     * @param stored whether keys or values are {@link StoredRows}
     */
    public long scratchBytes(AttentionShape shape, int threads, boolean stored) {
        return Math.multiplyExact(
                threads, AttentionLayout.of(shape, kernels.target(), stored).bytes());
    }

    /**
     * Computes the output. No operand may be freed before it is done.
     *
     * @param scratch memory of this call alone, of {@link #scratchBytes} for the width of {@code parallel}
     * @throws IllegalArgumentException if the shapes of the operands do not match
     * @throws IndexOutOfBoundsException if an operand is smaller than its shape
     */
    public void run(AttentionCall call, MemorySegment scratch, Parallel parallel) {
        bind(call, scratch, parallel.width()).run(parallel);
    }

    /**
     * Binds a call that one caller at a time runs again and again.
     *
     * @param scratch memory of this call alone, of {@link #scratchBytes} for {@code threads}
     * @param threads the largest width of the {@link Parallel} that runs it
     */
    public BoundAttention bind(AttentionCall call, MemorySegment scratch, int threads) {
        call.check(rule);
        AttentionShape shape = call.shape();
        AttentionLayout layout = AttentionLayout.of(shape, kernels.target(), call.converts());
        long units = (long) shape.batch()
                * shape.keyHeads()
                * layout.headsOfRows(shape)
                * (shape.queries() == 0 ? 0 : layout.blocksOfRows(shape));
        long work = (long) shape.batch()
                * shape.heads()
                * shape.queries()
                * shape.keys()
                * (shape.depth() + shape.valueDepth());
        int tasks = (int) Math.min(
                Math.min(threads, units), 1 + work / ParallelThresholds.least(ParallelThresholds.PRODUCTS, threads));
        CallChecks.bytes("the scratch", scratch, tasks * layout.bytes());
        CallChecks.writable("the scratch", scratch);
        CallChecks.apart("the scratch", scratch, "the output", call.out().data());
        var parts = new ArrayList<AttentionTask>();
        for (int task = 0; task < tasks; task++) {
            parts.add(new AttentionTask(
                    kernels, steps, layout, call, scratch.asSlice(task * layout.bytes(), layout.bytes())));
        }
        return new BoundAttention(call, scratch, parts.toArray(AttentionTask[]::new), units);
    }
}
