package dev.millrace.onnxruntime;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.millrace.graph.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Array;
import java.nio.ByteOrder;

/** Copies between the memory of tensors and nested arrays, a row of the last axis at a time. */
public final class NestedRows {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE =
            ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private NestedRows() {}

    /** Writes the elements of nested arrays in row-major order; returns the offset behind them. */
    public static long write(Object array, MemorySegment to, long offset) {
        if (array instanceof Object[] rows) {
            long at = offset;
            for (Object row : rows) {
                at = write(row, to, at);
            }
            return at;
        }
        int length = Array.getLength(array);
        return offset
                + switch (array) {
                    case float[] row -> writeRow(row, FLOAT, to, offset);
                    case double[] row -> writeRow(row, DOUBLE, to, offset);
                    case long[] row -> writeRow(row, LONG, to, offset);
                    case int[] row -> writeRow(row, INT, to, offset);
                    case short[] row -> writeRow(row, SHORT, to, offset);
                    case byte[] row -> writeRow(row, JAVA_BYTE, to, offset);
                    case boolean[] row -> {
                        for (int i = 0; i < length; i++) {
                            to.set(JAVA_BYTE, offset + i, (byte) (row[i] ? 1 : 0));
                        }
                        yield length;
                    }
                    default -> throw new IllegalArgumentException("No tensor has rows of " + array.getClass());
                };
    }

    // One copy for all types: the JIT compiler inlines each of them, so that one in each case would make a large
    // method.
    private static long writeRow(Object row, ValueLayout layout, MemorySegment to, long offset) {
        int length = Array.getLength(row);
        MemorySegment.copy(row, 0, to, layout, offset, length);
        return layout.byteSize() * length;
    }

    private static void readRow(MemorySegment from, ValueLayout layout, long offset, Object row) {
        MemorySegment.copy(from, layout, offset, row, 0, Array.getLength(row));
    }

    /** Reads elements in row-major order into nested arrays, which they fill; returns the offset behind them. */
    public static long read(MemorySegment from, ElementType type, long offset, Object array) {
        if (array instanceof Object[] rows) {
            long at = offset;
            for (Object row : rows) {
                at = read(from, type, at, row);
            }
            return at;
        }
        int length = Array.getLength(array);
        switch (array) {
            case float[] row -> readFloats(from, type, offset, row);
            case double[] row -> readRow(from, DOUBLE, offset, row);
            case long[] row -> readRow(from, LONG, offset, row);
            case int[] row -> readRow(from, INT, offset, row);
            case short[] row -> readRow(from, SHORT, offset, row);
            case byte[] row -> readRow(from, JAVA_BYTE, offset, row);
            case boolean[] row -> {
                for (int i = 0; i < length; i++) {
                    row[i] = from.get(JAVA_BYTE, offset + i) != 0;
                }
            }
            default -> throw new IllegalArgumentException("No tensor has rows of " + array.getClass());
        }
        return offset + type.bytes(length);
    }

    private static void readFloats(MemorySegment from, ElementType type, long offset, float[] row) {
        switch (type) {
            case FLOAT16 -> {
                for (int i = 0; i < row.length; i++) {
                    row[i] = Float.float16ToFloat(from.get(SHORT, offset + 2L * i));
                }
            }
            case BFLOAT16 -> {
                for (int i = 0; i < row.length; i++) {
                    row[i] = Float.intBitsToFloat(from.get(SHORT, offset + 2L * i) << 16);
                }
            }
            default -> readRow(from, FLOAT, offset, row);
        }
    }
}
