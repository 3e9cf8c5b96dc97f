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
                    case float[] row -> {
                        MemorySegment.copy(row, 0, to, FLOAT, offset, length);
                        yield 4L * length;
                    }
                    case double[] row -> {
                        MemorySegment.copy(row, 0, to, DOUBLE, offset, length);
                        yield 8L * length;
                    }
                    case long[] row -> {
                        MemorySegment.copy(row, 0, to, LONG, offset, length);
                        yield 8L * length;
                    }
                    case int[] row -> {
                        MemorySegment.copy(row, 0, to, INT, offset, length);
                        yield 4L * length;
                    }
                    case short[] row -> {
                        MemorySegment.copy(row, 0, to, SHORT, offset, length);
                        yield 2L * length;
                    }
                    case byte[] row -> {
                        MemorySegment.copy(row, 0, to, JAVA_BYTE, offset, length);
                        yield length;
                    }
                    case boolean[] row -> {
                        for (int i = 0; i < length; i++) {
                            to.set(JAVA_BYTE, offset + i, (byte) (row[i] ? 1 : 0));
                        }
                        yield length;
                    }
                    default -> throw new IllegalArgumentException("No tensor has rows of " + array.getClass());
                };
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
            case double[] row -> MemorySegment.copy(from, DOUBLE, offset, row, 0, length);
            case long[] row -> MemorySegment.copy(from, LONG, offset, row, 0, length);
            case int[] row -> MemorySegment.copy(from, INT, offset, row, 0, length);
            case short[] row -> MemorySegment.copy(from, SHORT, offset, row, 0, length);
            case byte[] row -> MemorySegment.copy(from, JAVA_BYTE, offset, row, 0, length);
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
            default -> MemorySegment.copy(from, FLOAT, offset, row, 0, row.length);
        }
    }
}
