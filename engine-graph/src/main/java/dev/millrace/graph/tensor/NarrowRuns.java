package dev.millrace.graph.tensor;

import static dev.millrace.graph.tensor.ByteLayouts.BYTE;
import static dev.millrace.graph.tensor.ByteLayouts.FLOAT;
import static dev.millrace.graph.tensor.ByteLayouts.INT;
import static dev.millrace.graph.tensor.ByteLayouts.SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Runs of elements that fit an int or a float, as arrays of those. What lies between is copied to an array, too: the
 * compiler makes vector instructions of loops over arrays, and of none over a segment that it does not know.
 */
final class NarrowRuns {
    private NarrowRuns() {}

    /** Whether all elements of a type are ints, or truths, which are 0 or 1. */
    static boolean areInts(ElementType type) {
        return switch (type) {
            case INT32, INT16, UINT16, INT8, UINT8, BOOL -> true;
            default -> false;
        };
    }

    /** Whether all elements of a type are floats, of at least 16 bits, or parts of complex numbers that are. */
    static boolean areFloats(ElementType type) {
        return switch (type) {
            case FLOAT, COMPLEX64, FLOAT16, BFLOAT16 -> true;
            default -> false;
        };
    }

    /** Numbers without sign of 32 bits keep their bits. */
    static void read(ElementType type, MemorySegment from, long first, int[] to, int count) {
        switch (type) {
            case INT32, UINT32 -> MemorySegment.copy(from, INT, first * 4, to, 0, count);
            case INT16, UINT16 -> {
                short[] part = shorts(from, first, count);
                int mask = type == ElementType.INT16 ? -1 : 0xffff;
                for (int i = 0; i < count; i++) {
                    to[i] = part[i] & mask;
                }
            }
            case BOOL -> {
                byte[] part = bytes(from, first, count);
                for (int i = 0; i < count; i++) {
                    to[i] = isTrue(part[i]);
                }
            }
            default -> {
                byte[] part = bytes(from, first, count);
                int mask = type == ElementType.INT8 ? -1 : 0xff;
                for (int i = 0; i < count; i++) {
                    to[i] = part[i] & mask;
                }
            }
        }
    }

    static void read(ElementType type, MemorySegment from, long first, float[] to, int at, int count) {
        switch (type) {
            case FLOAT16 -> {
                short[] part = shorts(from, first, count);
                for (int i = 0; i < count; i++) {
                    to[at + i] = Float.float16ToFloat(part[i]);
                }
            }
            case BFLOAT16 -> {
                short[] part = shorts(from, first, count);
                for (int i = 0; i < count; i++) {
                    to[at + i] = SmallFloats.bfloat16ToFloat(part[i]);
                }
            }
            default -> MemorySegment.copy(from, FLOAT, first * 4, to, at, count);
        }
    }

    /** 1 for all but 0, without a jump: which it is may be what a processor cannot guess. */
    static int isTrue(long number) {
        return (int) ((number | -number) >>> (Long.SIZE - 1));
    }

    /** Stores the low bits of ints. */
    static void write(ElementType type, MemorySegment to, long first, int[] from, int count) {
        switch (type) {
            case INT16, UINT16 -> {
                var part = new short[count];
                for (int i = 0; i < count; i++) {
                    part[i] = (short) from[i];
                }
                MemorySegment.copy(part, 0, to, SHORT, first * 2, count);
            }
            case INT8, UINT8, BOOL -> {
                var part = new byte[count];
                for (int i = 0; i < count; i++) {
                    part[i] = (byte) from[i];
                }
                MemorySegment.copy(part, 0, to, BYTE, first, count);
            }
            default -> MemorySegment.copy(from, 0, to, INT, first * 4, count);
        }
    }

    /** Stores floats, rounded to nearest even. */
    static void write(ElementType type, MemorySegment to, long first, float[] from, int at, int count) {
        switch (type) {
            case FLOAT16 -> {
                var part = new short[count];
                for (int i = 0; i < count; i++) {
                    part[i] = Float.floatToFloat16(from[at + i]);
                }
                MemorySegment.copy(part, 0, to, SHORT, first * 2, count);
            }
            case BFLOAT16 -> {
                var part = new short[count];
                for (int i = 0; i < count; i++) {
                    part[i] = SmallFloats.floatToBfloat16(from[at + i]);
                }
                MemorySegment.copy(part, 0, to, SHORT, first * 2, count);
            }
            default -> MemorySegment.copy(from, at, to, FLOAT, first * 4, count);
        }
    }

    private static short[] shorts(MemorySegment from, long first, int count) {
        var part = new short[count];
        MemorySegment.copy(from, SHORT, first * 2, part, 0, count);
        return part;
    }

    private static byte[] bytes(MemorySegment from, long first, int count) {
        var part = new byte[count];
        MemorySegment.copy(from, BYTE, first, part, 0, count);
        return part;
    }
}
