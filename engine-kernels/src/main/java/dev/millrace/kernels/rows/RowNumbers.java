package dev.millrace.kernels.rows;

import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * Checks indices and turns them into numbers of rows, 32 bits each, from 0 on. Nothing but the table is written, so
 * that a wrong index is found before any result is. Safe for use by several threads.
 */
public final class RowNumbers {
    /** A table has room for this many bytes more than four for each number. */
    private static final int EXTRA = 4;

    private final KernelSet kernels;
    private final Kernel[] tables = new Kernel[4];
    private final Kernel run;

    public RowNumbers(KernelSet kernels) {
        this.kernels = kernels;
        for (int i = 0; i < tables.length; i++) {
            tables[i] = kernels.kernel(IndexTable.key(i / 2 == 1, i % 2 == 1));
        }
        run = kernels.kernel(IndexRun.key());
    }

    /** What a table of so many numbers needs, in bytes. */
    public static long tableBytes(long count) {
        return Math.multiplyExact(4L, count) + EXTRA;
    }

    /**
     * Each index is the number of a row.
     *
     * @param limit how many rows there are; negative indices count from it
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its place
     */
    public void ofIndices(IndexList indices, long limit, MemorySegment table) {
        ofTuples(indices, new long[] {limit}, table);
    }

    /**
     * Each tuple of indices, one for each dimension, is the place of a row in these dimensions.
     *
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its place
     */
    public void ofTuples(IndexList indices, long[] dims, MemorySegment table) {
        indices.check();
        if (dims.length == 0 || indices.count() % dims.length != 0) {
            throw new IllegalArgumentException(indices.count() + " indices are no tuples of " + dims.length);
        }
        checkRows(dims);
        long count = indices.count() / dims.length;
        checkTable(table, count);
        Memory memory = kernels.newMemory();
        long from = memory.pointer(indices.data());
        long to = memory.pointer(table);
        long wrong = 0;
        for (int i = 0; i < dims.length; i++) {
            tables[(indices.wide() ? 2 : 0) + (i > 0 ? 1 : 0)].call(
                    memory,
                    from + (long) indices.bytes() * i,
                    (long) indices.bytes() * dims.length,
                    count,
                    dims[i],
                    to,
                    to + 4 * count);
            wrong |= table.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * count);
        }
        Reference.reachabilityFence(indices);
        if (wrong != 0) {
            throw firstWrong(indices, dims);
        }
    }

    private static void checkRows(long[] dims) {
        long rows = 1;
        for (long dim : dims) {
            rows = Math.multiplyExact(rows, dim);
            if (dim < 0 || rows > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("indices choose among " + rows + " rows, not up to 2^31 - 1");
            }
        }
    }

    private static void checkTable(MemorySegment table, long count) {
        Extents.bytes("the table", table, tableBytes(count));
        Extents.writable("the table", table);
    }

    private static IndexOutOfBoundsException firstWrong(IndexList indices, long[] dims) {
        for (long place = 0; place < indices.count(); place++) {
            long limit = dims[(int) (place % dims.length)];
            long index = indices.get(place);
            if (index < -limit || index >= limit) {
                return new IndexOutOfBoundsException("index " + index + " at place " + place + " is out of range: "
                        + (limit == 0 ? "there are no rows" : "it can be " + -limit + " to " + (limit - 1)));
            }
        }
        throw new IllegalStateException("the indices changed while they were read");
    }

    /**
     * Each index stands for an element: it replaces the place of the index itself along one axis.
     *
     * @param dims of the indices
     * @param dataDims of the data; not less than those of the indices, but for the axis
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its place
     */
    public void ofElements(IndexList indices, long[] dims, long[] dataDims, int axis, MemorySegment table) {
        if (dims.length != dataDims.length || axis < 0 || axis >= dims.length) {
            throw new IllegalArgumentException("indices of " + dims.length + " dimensions choose along axis " + axis
                    + " of data of " + dataDims.length);
        }
        checkRows(dataDims);
        long count = 1;
        for (int i = 0; i < dims.length; i++) {
            count = Math.multiplyExact(count, dims[i]);
            if (i != axis && dims[i] > dataDims[i]) {
                throw new IllegalArgumentException(
                        "the indices have " + dims[i] + " in dimension " + i + ", but the data " + dataDims[i]);
            }
        }
        if (count != indices.count()) {
            throw new IllegalArgumentException("there are " + indices.count() + " indices, not " + count);
        }
        ofIndices(indices, dataDims[axis], table);
        if (count > 0) {
            addPlaces(dims, dataDims, axis, table);
        }
    }

    /** Multiplies by the stride of the axis and adds the places along the other ones, a run of indices at a time. */
    private void addPlaces(long[] dims, long[] dataDims, int axis, MemorySegment table) {
        int last = dims.length - 1;
        long[] strides = new long[dims.length];
        long stride = 1;
        for (int i = last; i >= 0; i--) {
            strides[i] = stride;
            stride *= dataDims[i];
        }
        Memory memory = kernels.newMemory();
        long to = memory.pointer(table);
        long[] place = new long[dims.length];
        int moving;
        do {
            long start = 0;
            for (int i = 0; i < last; i++) {
                start += i == axis ? 0 : place[i] * strides[i];
            }
            run.call(memory, to, dims[last], strides[axis], start, axis == last ? 0 : 1, 0);
            to += 4 * dims[last];
            moving = last - 1;
            while (moving >= 0 && ++place[moving] == dims[moving]) {
                place[moving--] = 0;
            }
        } while (moving >= 0);
        Reference.reachabilityFence(table);
    }
}
