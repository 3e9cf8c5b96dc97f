package dev.millrace.kernels.select;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * The k largest or smallest fp32 elements along an axis, the best one first, of equal ones that with the lower place.
 * NaN counts as larger than all others. Safe for use by several threads.
 */
public final class TopK {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final KernelSet kernels;
    private final Kernel keys;
    private final Kernel keysOfColumns;

    public TopK(KernelSet kernels, Best.Extreme extreme) {
        this.kernels = kernels;
        keys = kernels.kernel(SortKeys.key(extreme, false));
        keysOfColumns = kernels.kernel(SortKeys.key(extreme, true));
    }

    /** What {@link #run} needs as scratch memory for so many threads. */
    public long scratchBytes(AxisShape shape, int threads) {
        return Math.multiplyExact(threads, bytesOfTask(shape));
    }

    private static long bytesOfTask(AxisShape shape) {
        return 4 * (shape.count() + shape.count() / SortKeys.GROUP);
    }

    /**
     * Finds them.
     *
     * @param k not more than there are along the axis
     * @param values k along the axis
     * @param places the places of these, numbers of 64 bits
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
        AxisShape results = new AxisShape(shape.outer(), k, shape.inner());
        shape.check("the data", data);
        results.check("the values", values);
        Extents.bytes("the places", places, Math.multiplyExact(8, results.elements()));
        Extents.writable("the values", values);
        Extents.writable("the places", places);
        Extents.writable("the scratch", scratch);
        Extents.apart("the values", values, "the data", data);
        Extents.apart("the places", places, "the data", data);
        if (results.elements() == 0) {
            return;
        }
        int tasks = (int) Math.clamp(shape.lines(), 1, parallel.width());
        long bytes = bytesOfTask(shape);
        Extents.bytes("the scratch", scratch, tasks * bytes);
        try {
            Parallel threads = tasks == 1 ? Parallel.NONE : parallel;
            threads.run(tasks, task -> {
                MemorySegment own = scratch.asSlice(task * bytes, bytes);
                Memory memory = kernels.newMemory();
                long from = memory.pointer(data);
                long ofKeys = memory.pointer(own);
                BestKeys best =
                        new BestKeys(own, shape.count(), k, kernels.target().lanes());
                long end = shape.lines() * (task + 1) / tasks;
                for (long line = shape.lines() * task / tasks; line < end; line++) {
                    long first = line / shape.inner() * shape.count() * shape.inner() + line % shape.inner();
                    Kernel kernel = shape.inner() == 1 ? keys : keysOfColumns;
                    long largest = ofKeys + 4 * shape.count();
                    kernel.call(memory, from + 4 * first, ofKeys, largest, shape.count(), shape.inner(), 0);
                    long[] found = best.find();
                    long result = line / shape.inner() * k * shape.inner() + line % shape.inner();
                    for (int i = 0; i < k; i++) {
                        long place = BestKeys.place(found[k - 1 - i]);
                        long at = result + i * shape.inner();
                        values.setAtIndex(FLOAT, at, data.getAtIndex(FLOAT, first + place * shape.inner()));
                        places.setAtIndex(LONG, at, place);
                    }
                }
            });
        } finally {
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(scratch);
        }
    }
}
