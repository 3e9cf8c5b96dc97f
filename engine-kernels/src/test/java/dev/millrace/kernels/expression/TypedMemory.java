package dev.millrace.kernels.expression;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Access to elements of all types as doubles. */
public final class TypedMemory {
    private TypedMemory() {}

    public static double get(DataType type, MemorySegment from, long index) {
        return switch (type) {
            case F32 -> from.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * index);
            case F16 -> Float.float16ToFloat(from.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index));
            case BF16 -> Float.intBitsToFloat(from.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index) << 16);
            case S32 -> from.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * index);
            case S16 -> from.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index);
            case U16 -> from.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index) & 0xffff;
            case S8 -> from.get(ValueLayout.JAVA_BYTE, index);
            case U8, BOOL -> from.get(ValueLayout.JAVA_BYTE, index) & 0xff;
        };
    }

    public static void set(DataType type, MemorySegment to, long index, double value) {
        switch (type) {
            case F32 -> to.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * index, (float) value);
            case F16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index, Float.floatToFloat16((float) value));
            case BF16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index, upperHalf((float) value));
            case S32 -> to.set(ValueLayout.JAVA_INT_UNALIGNED, 4 * index, (int) value);
            case S16, U16 -> to.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * index, (short) (int) value);
            case S8, U8, BOOL -> to.set(ValueLayout.JAVA_BYTE, index, (byte) (int) value);
        }
    }

    /** Returns the upper half of a float rounded to nearest even, by comparing with both neighbours. */
    private static short upperHalf(float value) {
        int down = Float.floatToRawIntBits(value) >>> 16;
        double below = Math.abs((double) value - Float.intBitsToFloat(down << 16));
        double above = Math.abs((double) value - Float.intBitsToFloat(down + 1 << 16));
        return (short) (below < above || below == above && down % 2 == 0 ? down : down + 1);
    }

    /** Returns the value that is read back after a value was stored. */
    public static double rounded(DataType type, double value) {
        MemorySegment cell = MemorySegment.ofArray(new byte[4]);
        set(type, cell, 0, value);
        return get(type, cell, 0);
    }
}
