package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * The k largest or smallest fp32 elements along an axis, the best one first, equal ones in the order of their
 * positions. NaN counts as larger than all others. Safe for use by several threads.
 */
public final class TopK {
    /** The most elements that one call selects: with millions of keys that takes milliseconds. */
    private static final int TAKEN_AT_ONCE = 4096;

    private final KernelSet kernels;
    private final CompiledKernel keys;
    private final CompiledKernel keysOfColumns;
    private final CompiledKernel pick;

    public TopK(KernelSet kernels, Best.Extreme extreme) {
        this.kernels = kernels;
        keys = kernels.kernel(SortKeys.key(extreme, false));
        keysOfColumns = kernels.kernel(SortKeys.key(extreme, true));
        pick = kernels.kernel(PickBest.key());
    }

    /** The scratch memory of {@link #run} on a number of threads, in bytes. */
    public long scratchBytes(AxisShape shape, int threads) {
        long sizes = 2L * PickBest.SIZES * Long.BYTES;
        return sizes + Math.multiplyExact(threads, groups(shape).bytes());
    }

    private KeyGroups groups(AxisShape shape) {
        return KeyGroups.of((int) shape.count(), kernels.target().lanes());
    }

    /**
     * Selects the elements.
     *
     * @param k no more than there are elements along the axis
     * @param values the k elements along the axis
     * @param places the positions of these, numbers of 64 bits
     * @param scratch memory of this call alone
     */
    public void run(
            AxisShape shape,
            int k,
            MemorySegment data,
            MemorySegment values,
            MemorySegment places,
            MemorySegment scratch,
            Parallel parallel) {
        if (k < 0 || k > shape.count()) {
            throw new IllegalArgumentException("there are no " + k + " best ones of " + shape.count());
        }
        if (shape.inner() * kernels.target().lanes() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("the elements of a line are " + shape.inner() + " apart: up to "
                    + Integer.MAX_VALUE / kernels.target().lanes() + " can be");
        }
        AxisShape results = new AxisShape(shape.outer(), k, shape.inner());
        shape.check("the data", data);
        results.check("the values", values);
        CallChecks.bytes("the places", places, Math.multiplyExact(8, results.elements()));
        CallChecks.writable("the values", values);
        CallChecks.writable("the places", places);
        CallChecks.writable("the scratch", scratch);
        CallChecks.apart("the values", values, "the data", data);
        CallChecks.apart("the places", places, "the data", data);
        CallChecks.apart("the places", places, "the values", values);
        CallChecks.apart("the scratch", scratch, "the data", data);
        CallChecks.apart("the scratch", scratch, "the values", values);
        CallChecks.apart("the scratch", scratch, "the places", places);
        if (results.elements() == 0) {
            return;
        }
        int tasks = (int) Math.clamp(shape.lines(), 1, parallel.width());
        CallChecks.bytes("the scratch", scratch, scratchBytes(shape, tasks));
        KeyGroups groups = groups(shape);
        int most = Math.min(k, TAKEN_AT_ONCE);
        long sizes = Long.BYTES * (long) PickBest.SIZES;
        putSizes(scratch, 0, PickBest.sizes(groups, most, shape.inner()));
        putSizes(scratch, sizes, PickBest.sizes(groups, k % most, shape.inner()));
        try {
            parallel.run(tasks, task -> {
                Memory memory = kernels.newMemory();
                long from = memory.pointer(data);
                long toValues = memory.pointer(values);
                long toPlaces = memory.pointer(places);
                long ofSizes = memory.pointer(scratch);
                long work = ofSizes + 2 * sizes + task * groups.bytes();
                long ofKeys = work + groups.keysAt();
                long ofLargest = work + groups.largestAt();
                long ofGroups = groups.vectors() | (long) groups.wholeGroups() << Integer.SIZE;
                CompiledKernel makesKeys = shape.inner() == 1 ? keys : keysOfColumns;
                long end = shape.lines() * (task + 1) / tasks;
                for (long line = shape.lines() * task / tasks; line < end; line++) {
                    long outer = line / shape.inner() * shape.inner();
                    long inner = line % shape.inner();
                    long first = from + 4 * (outer * shape.count() + inner);
                    long result = outer * k + inner;
                    makesKeys.call(memory, first, ofKeys, ofLargest, ofGroups, shape.count(), shape.inner());
                    for (int taken = 0; taken < k; taken += most) {
                        parallel.checkCancelled();
                        long at = result + taken * shape.inner();
                        long size = k - taken < most ? ofSizes + sizes : ofSizes;
                        pick.call(memory, work, first, toValues + 4 * at, toPlaces + 8 * at, size, 0);
                    }
                }
            });
        } finally {
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(values);
            Reference.reachabilityFence(places);
            Reference.reachabilityFence(scratch);
        }
    }

    private static void putSizes(MemorySegment scratch, long at, long[] sizes) {
        MemorySegment.copy(sizes, 0, scratch, ValueLayout.JAVA_LONG_UNALIGNED, at, sizes.length);
    }
}
