package dev.millrace.kernels.reduce;

import dev.millrace.kernels.cast.NumberType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Operations on results one by one, for reductions of no elements and for types other than floats of 32 bits. */
final class ScalarReductions {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private ScalarReductions() {}

    /**
     * Writes the results of a reduction of no elements; as an int, infinity is the least or the greatest, and NaN is 0.
     */
    static void fill(ReduceOp op, NumberType type, MemorySegment out, long count) {
        float value = switch (op) {
            case SUM, SUM_SQUARE, L1, L2 -> 0;
            case PROD -> 1;
            case MEAN -> Float.NaN;
            case MIN -> Float.POSITIVE_INFINITY;
            case MAX, LOG_SUM, LOG_SUM_EXP -> Float.NEGATIVE_INFINITY;
        };
        for (long i = 0; i < count; i++) {
            switch (type) {
                case F16 -> out.setAtIndex(SHORT, i, Float.floatToFloat16(value));
                case BF16 -> out.setAtIndex(SHORT, i, (short) (Float.floatToIntBits(value) >>> 16));
                case S32 -> out.setAtIndex(INT, i, (int) value);
                case S64 -> out.setAtIndex(LONG, i, (long) value);
                case F64 -> out.setAtIndex(DOUBLE, i, value);
                default -> out.setAtIndex(FLOAT, i, value);
            }
        }
    }

    /** Divides ints, which lose their fraction, or doubles. */
    static void divide(NumberType type, MemorySegment numbers, long count, long divisor) {
        for (long i = 0; i < count; i++) {
            switch (type) {
                case S32 -> numbers.setAtIndex(INT, i, (int) (numbers.getAtIndex(INT, i) / divisor));
                case S64 -> numbers.setAtIndex(LONG, i, numbers.getAtIndex(LONG, i) / divisor);
                default -> numbers.setAtIndex(DOUBLE, i, numbers.getAtIndex(DOUBLE, i) / divisor);
            }
        }
    }
}
