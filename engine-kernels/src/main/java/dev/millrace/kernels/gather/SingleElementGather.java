package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.gather.ElementPick.Size;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gathers elements of 32 bits one by one. Memory is native (heap memory only where kernels are interpreted). Safe for
 * use by several threads.
 */
public final class SingleElementGather {
    /** Done at a time: picked from all over, each of them may wait for memory. */
    private static final long MOST_AT_ONCE = 1 << 20;

    private final KernelSet kernels;
    private final CompiledKernel narrow;
    private final CompiledKernel wide;
    private final DriverScratch blocks = new DriverScratch();

    public SingleElementGather(KernelSet kernels) {
        this.kernels = kernels;
        narrow = kernels.kernel(ElementPick.key(false));
        wide = kernels.kernel(ElementPick.key(true));
    }

    /**
     * Gathers an element for each index.
     *
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its place, and what the
     *     output holds is undefined
     */
    public void gather(
            IndexList indices, ElementShape shape, MemorySegment data, MemorySegment out, Parallel parallel) {
        shape.check(indices);
        CallChecks.vector("the data", data, shape.elements());
        CallChecks.vector("the output", out, shape.count());
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the data", data);
        CallChecks.apart("the output", out, "the indices", indices.data());
        if (shape.count() == 0) {
            return;
        }
        AtomicBoolean wrong = new AtomicBoolean(shape.limit() == 0);
        if (!wrong.get()) {
            int worth = ParallelThresholds.shares(shape.count(), ParallelThresholds.ELEMENTS, parallel.width());
            int tasks = (int) Math.min(shape.rows(), worth);
            parallel.run(tasks, task -> {
                long first = shape.rows() * task / tasks;
                long end = shape.rows() * (task + 1) / tasks;
                if (rows(indices, shape, data, out, first, end, parallel)) {
                    wrong.set(true);
                }
            });
        }
        if (wrong.get()) {
            throw indices.firstWrong(shape.limit());
        }
    }

    /** Does some rows, and says whether an index of them is out of range. */
    private boolean rows(
            IndexList indices,
            ElementShape shape,
            MemorySegment data,
            MemorySegment out,
            long first,
            long end,
            Parallel parallel) {
        Memory memory = kernels.newMemory();
        MemorySegment block = blocks.atLeast(Long.BYTES * Size.values().length);
        set(block, Size.LIMIT, shape.limit());
        set(block, Size.SCALE, shape.scale());
        set(block, Size.STEP, shape.step());
        set(block, Size.DATA_ROW, 4 * shape.rowDistance());
        boolean wrong = false;
        try {
            long length = shape.rowLength();
            for (long at = first * length; at < end * length; ) {
                parallel.checkCancelled();
                long row = at / length;
                long column = at % length;
                long ofPlane = Math.min(end - row, shape.rowsOfPlane() - row % shape.rowsOfPlane());
                long rows = Math.clamp(MOST_AT_ONCE / length, 1, ofPlane);
                long count = Math.min(length - column, MOST_AT_ONCE);
                set(block, Size.ROWS, rows);
                set(block, Size.COUNT, count);
                (indices.wide() ? wide : narrow)
                        .call(
                                memory,
                                memory.pointer(indices.data()) + at * indices.bytes(),
                                memory.pointer(data) + 4 * (shape.rowStart(row) + column * shape.step()),
                                memory.pointer(out) + 4 * at,
                                memory.pointer(block),
                                0,
                                0);
                wrong |= block.getAtIndex(ValueLayout.JAVA_INT, 2L * Size.WRONG.ordinal()) != 0;
                at += rows * count;
            }
        } finally {
            Reference.reachabilityFence(indices);
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
        }
        return wrong;
    }

    private static void set(MemorySegment block, Size size, long value) {
        block.setAtIndex(ValueLayout.JAVA_LONG, size.ordinal(), value);
    }
}
