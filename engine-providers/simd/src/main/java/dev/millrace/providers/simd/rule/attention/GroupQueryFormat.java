package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.attention.HeadRows;
import dev.millrace.kernels.attention.KeyRows;
import dev.millrace.kernels.attention.RowType;
import dev.millrace.kernels.attention.StoredRows;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The form of the rows of a cache of keys or values.
 *
 * @param element the type of the cache
 * @param rows the form in which kernels convert rows; null for 32-bit floats
 * @param depth the elements of a row
 * @param scales a scale of all elements, or of each element of each head; null where numbers are not scaled
 */
record GroupQueryFormat(
        ElementType element,
        @Nullable RowType rows,
        int depth,
        @Nullable View scales) {
    private static final int FOUR_BITS = 4;

    /** Returns the form of a cache; null where kernels do not read it. */
    static @Nullable GroupQueryFormat of(
            LoweringContext op, int past, int present, int scales, String kind, int heads, int depth) {
        ElementType element = op.has(past)
                ? op.in(past).type()
                : op.wants(present) ? op.out(present).type() : op.in(0).type();
        String scaled = op.attributes().text(kind, "NONE");
        if (scaled.equals("NONE")) {
            return switch (element) {
                case FLOAT -> new GroupQueryFormat(element, null, depth, null);
                case FLOAT16 -> new GroupQueryFormat(element, RowType.F16, depth, null);
                case BFLOAT16 -> new GroupQueryFormat(element, RowType.BF16, depth, null);
                default -> null;
            };
        }
        RowType rows = stored(op.attributes().integer("kv_cache_bit_width", Byte.SIZE), element);
        boolean perChannel = scaled.equals("PER_CHANNEL");
        if (rows == null || !perChannel && !scaled.equals("PER_TENSOR") || !op.has(scales)) {
            return null;
        }
        ValueState given = op.in(scales);
        boolean fits = given.type() == ElementType.FLOAT && given.elements() == (perChannel ? (long) heads * depth : 1);
        return fits ? new GroupQueryFormat(element, rows, depth, op.lowering().dense(given)) : null;
    }

    private static @Nullable RowType stored(long bits, ElementType element) {
        if (bits == FOUR_BITS) {
            return element == ElementType.UINT8 ? RowType.U4 : null;
        }
        return bits == Byte.SIZE && element == ElementType.INT8 ? RowType.S8 : null;
    }

    boolean isStored() {
        return rows != null;
    }

    /** The elements of the cache in a row. */
    long extent() {
        return rows == null ? depth : rows.bytes(depth) * Byte.SIZE / element.bits();
    }

    /** The bytes of scratch memory for scales and zero points. */
    long scratchBytes() {
        return scales == null ? 0 : (long) (Float.BYTES + Integer.BYTES) * depth;
    }

    /**
     * Returns the rows of a cache.
     *
     * @param cache by batch, head, place and element
     * @param scratch memory of {@link #scratchBytes}
     */
    KeyRows rows(RunMemory memory, View cache, MemorySegment scratch) {
        MemorySegment data = memory.segment(cache);
        if (rows == null) {
            long[] strides = cache.strides();
            return new HeadRows(data, strides[0], strides[1], strides[2]);
        }
        return new StoredRows(rows, data, cache.shape().dim(1), cache.shape().dim(2), depth, scales(memory, scratch));
    }

    private StoredRows.@Nullable Scales scales(RunMemory memory, MemorySegment scratch) {
        if (scales == null) {
            return null;
        }
        MemorySegment zeros = scratch.asSlice(0, (long) Integer.BYTES * depth);
        return hasOneScale()
                ? new StoredRows.Scales(scratch.asSlice(zeros.byteSize(), (long) Float.BYTES * depth), 0, zeros)
                : new StoredRows.Scales(memory.segment(scales), depth, zeros);
    }

    private boolean hasOneScale() {
        return scales != null && scales.shape().elements() == 1;
    }

    /** Writes the scales and zero points of a run to scratch memory, where all elements share them. */
    void prepare(RunMemory memory, MemorySegment scratch) {
        if (scales == null || rows == null) {
            return;
        }
        float scale = memory.segment(scales).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0);
        for (int i = 0; i < depth; i++) {
            scratch.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, rows.zero());
            scratch.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, (long) depth + i, scale);
        }
    }
}
