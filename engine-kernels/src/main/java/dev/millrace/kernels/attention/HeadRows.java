package dev.millrace.kernels.attention;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * Rows of fp32 elements by batch, head and place in the sequence; the elements of a row lie side by side. Strides count
 * elements.
 */
public record HeadRows(MemorySegment data, long batchStride, long headStride, long rowStride) implements KeyRows {
    private static final long MAX_ROW_STRIDE = 1L << 24;

    /** Dense rows by batch, head and place. */
    public static HeadRows byHead(MemorySegment data, long heads, long rows, long depth) {
        return new HeadRows(data, heads * rows * depth, rows * depth, depth);
    }

    /** Dense rows by batch, place and head. */
    public static HeadRows byPlace(MemorySegment data, long heads, long rows, long depth) {
        return new HeadRows(data, heads * rows * depth, depth, heads * depth);
    }

    @Override
    public HeadRows from(long row) {
        return new HeadRows(data.asSlice(4 * row * rowStride), batchStride, headStride, rowStride);
    }

    @Override
    public void check(String name, long batch, long heads, long rows, long depth) {
        if (batchStride < 0 || headStride < 0 || rowStride < 0 || rowStride >= MAX_ROW_STRIDE) {
            throw new IllegalArgumentException(name + " has strides " + batchStride + ", " + headStride + ", "
                    + rowStride + ": none is negative, and rows are less than " + MAX_ROW_STRIDE + " apart");
        }
        if (batch > 0 && heads > 0 && rows > 0) {
            CallChecks.vector(name, data, last(batch, heads, rows, depth));
        }
    }

    private long last(long batch, long heads, long rows, long depth) {
        long ofHeads =
                Math.addExact(Math.multiplyExact(batch - 1, batchStride), Math.multiplyExact(heads - 1, headStride));
        return Math.addExact(ofHeads, Math.multiplyExact(rows - 1, rowStride) + depth);
    }

    @Override
    public long offset(long batch, long head, long row) {
        return 4 * (batch * batchStride + head * headStride + row * rowStride);
    }

    @Override
    public long rowBytes(long depth) {
        return 4 * depth;
    }
}
