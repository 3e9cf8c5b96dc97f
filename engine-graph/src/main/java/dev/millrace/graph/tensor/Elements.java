package dev.millrace.graph.tensor;

import static dev.millrace.graph.tensor.ByteLayouts.BYTE;
import static dev.millrace.graph.tensor.ByteLayouts.DOUBLE;
import static dev.millrace.graph.tensor.ByteLayouts.FLOAT;
import static dev.millrace.graph.tensor.ByteLayouts.INT;
import static dev.millrace.graph.tensor.ByteLayouts.LONG;
import static dev.millrace.graph.tensor.ByteLayouts.SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Runs of elements of any numeric type, read into and written from Java arrays of float, double or long. This is the
 * one place where element types are told apart; what computes does so on arrays.
 *
 * <p>Reading into {@code float[]} or {@code double[]} converts by value; reading into {@code long[]} sign- or
 * zero-extends integers and booleans (uint64 keeps its bits) and truncates floating values. Writing keeps the low bits of
 * integers, rounds floating values to nearest even, and stores a boolean as whether the value is not zero. The 8-bit
 * and 4-bit floating types saturate. Complex types are read and written as pairs of their parts; strings not at all.
 */
public final class Elements {
    /**
     * So many elements at a time are copied to an array and converted there. Elements of a segment one by one take fifty
     * times as long while the JVM has not compiled anything, and no less afterwards.
     */
    private static final int PART = 512;

    private Elements() {}

    public static void read(ElementType type, MemorySegment from, long first, float[] to, int at, int count) {
        if (type == ElementType.FLOAT || type == ElementType.COMPLEX64) {
            MemorySegment.copy(from, FLOAT, first * 4, to, at, count);
        } else if (NarrowRuns.areFloats(type)) {
            for (int done = 0; done < count; done += PART) {
                NarrowRuns.read(type, from, first + done, to, at + done, Math.min(PART, count - done));
            }
        } else if (type == ElementType.INT64) {
            // by way of doubles they would be rounded twice
            var part = new long[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                read(type, from, first + done, part, 0, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = part[i];
                }
            }
        } else {
            var part = new double[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                read(type, from, first + done, part, 0, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = (float) part[i];
                }
            }
        }
    }

    public static void read(ElementType type, MemorySegment from, long first, double[] to, int at, int count) {
        if (type == ElementType.DOUBLE || type == ElementType.COMPLEX128) {
            MemorySegment.copy(from, DOUBLE, first * 8, to, at, count);
        } else if (NarrowRuns.areFloats(type)) {
            var part = new float[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                NarrowRuns.read(type, from, first + done, part, 0, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = part[i];
                }
            }
        } else if (NarrowRuns.areInts(type)) {
            var part = new int[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                NarrowRuns.read(type, from, first + done, part, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = part[i];
                }
            }
        } else if (type == ElementType.INT64 || type == ElementType.UINT32) {
            var part = new long[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                read(type, from, first + done, part, 0, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = part[i];
                }
            }
        } else {
            for (int i = 0; i < count; i++) {
                to[at + i] = getDouble(type, from, first + i);
            }
        }
    }

    public static void read(ElementType type, MemorySegment from, long first, long[] to, int at, int count) {
        if (type == ElementType.INT64 || type == ElementType.UINT64) {
            MemorySegment.copy(from, LONG, first * 8, to, at, count);
        } else if (NarrowRuns.areInts(type) || type == ElementType.UINT32) {
            long mask = type == ElementType.UINT32 ? 0xffffffffL : -1;
            var part = new int[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                NarrowRuns.read(type, from, first + done, part, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = part[i] & mask;
                }
            }
        } else if (NarrowRuns.areFloats(type)) {
            var part = new float[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                NarrowRuns.read(type, from, first + done, part, 0, now);
                for (int i = 0; i < now; i++) {
                    to[at + done + i] = (long) part[i];
                }
            }
        } else {
            for (int i = 0; i < count; i++) {
                to[at + i] = getLong(type, from, first + i);
            }
        }
    }

    public static void write(ElementType type, MemorySegment to, long first, float[] from, int at, int count) {
        if (type == ElementType.FLOAT || type == ElementType.COMPLEX64) {
            MemorySegment.copy(from, at, to, FLOAT, first * 4, count);
        } else if (NarrowRuns.areFloats(type)) {
            for (int done = 0; done < count; done += PART) {
                NarrowRuns.write(type, to, first + done, from, at + done, Math.min(PART, count - done));
            }
        } else {
            var part = new double[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                for (int i = 0; i < now; i++) {
                    part[i] = from[at + done + i];
                }
                write(type, to, first + done, part, 0, now);
            }
        }
    }

    public static void write(ElementType type, MemorySegment to, long first, double[] from, int at, int count) {
        if (type == ElementType.DOUBLE || type == ElementType.COMPLEX128) {
            MemorySegment.copy(from, at, to, DOUBLE, first * 8, count);
        } else if (NarrowRuns.areFloats(type)) {
            var part = new float[Math.min(count, PART)];
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                for (int i = 0; i < now; i++) {
                    part[i] = (float) from[at + done + i];
                }
                NarrowRuns.write(type, to, first + done, part, 0, now);
            }
        } else if (NarrowRuns.areInts(type)) {
            var part = new int[Math.min(count, PART)];
            boolean truths = type == ElementType.BOOL;
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                for (int i = 0; i < now && truths; i++) {
                    // without the sign of a zero
                    part[i] = NarrowRuns.isTrue(Double.doubleToRawLongBits(from[at + done + i]) << 1);
                }
                for (int i = 0; i < now && !truths; i++) {
                    part[i] = (int) (long) from[at + done + i];
                }
                NarrowRuns.write(type, to, first + done, part, now);
            }
        } else {
            for (int i = 0; i < count; i++) {
                setDouble(type, to, first + i, from[at + i]);
            }
        }
    }

    public static void write(ElementType type, MemorySegment to, long first, long[] from, int at, int count) {
        if (type == ElementType.INT64 || type == ElementType.UINT64) {
            MemorySegment.copy(from, at, to, LONG, first * 8, count);
        } else if (NarrowRuns.areInts(type) || type == ElementType.UINT32) {
            var part = new int[Math.min(count, PART)];
            boolean truths = type == ElementType.BOOL;
            for (int done = 0; done < count; done += PART) {
                int now = Math.min(PART, count - done);
                for (int i = 0; i < now && truths; i++) {
                    part[i] = NarrowRuns.isTrue(from[at + done + i]);
                }
                for (int i = 0; i < now && !truths; i++) {
                    part[i] = (int) from[at + done + i];
                }
                NarrowRuns.write(type, to, first + done, part, now);
            }
        } else {
            for (int i = 0; i < count; i++) {
                setLong(type, to, first + i, from[at + i]);
            }
        }
    }

    /** One element by value; uint64 is exact up to the precision of double. */
    public static double getDouble(ElementType type, MemorySegment from, long index) {
        return switch (type) {
            case FLOAT, COMPLEX64 -> from.get(FLOAT, index * 4);
            case DOUBLE, COMPLEX128 -> from.get(DOUBLE, index * 8);
            case FLOAT16 -> Float.float16ToFloat(from.get(SHORT, index * 2));
            case BFLOAT16 -> SmallFloats.bfloat16ToFloat(from.get(SHORT, index * 2));
            case FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, FLOAT8E8M0 ->
                SmallFloats.decode(type, from.get(BYTE, index) & 0xff);
            case FLOAT4E2M1 -> SmallFloats.decode(type, packed(from, index, 4));
            case UINT64 -> unsignedToDouble(from.get(LONG, index * 8));
            default -> getLong(type, from, index);
        };
    }

    /** One element as a long: integers extended, floating values truncated. */
    public static long getLong(ElementType type, MemorySegment from, long index) {
        return switch (type) {
            case INT64, UINT64 -> from.get(LONG, index * 8);
            case INT32 -> from.get(INT, index * 4);
            case UINT32 -> from.get(INT, index * 4) & 0xffffffffL;
            case INT16 -> from.get(SHORT, index * 2);
            case UINT16 -> from.get(SHORT, index * 2) & 0xffff;
            case INT8 -> from.get(BYTE, index);
            case UINT8 -> from.get(BYTE, index) & 0xff;
            case BOOL -> from.get(BYTE, index) == 0 ? 0 : 1;
            case UINT4 -> packed(from, index, 4);
            case INT4 -> (packed(from, index, 4) << 28) >> 28;
            case UINT2 -> packed(from, index, 2);
            case INT2 -> (packed(from, index, 2) << 30) >> 30;
            case STRING -> throw new IllegalArgumentException("strings are no numbers");
            default -> (long) getDouble(type, from, index);
        };
    }

    public static void setDouble(ElementType type, MemorySegment to, long index, double value) {
        switch (type) {
            case FLOAT, COMPLEX64 -> to.set(FLOAT, index * 4, (float) value);
            case DOUBLE, COMPLEX128 -> to.set(DOUBLE, index * 8, value);
            case FLOAT16 -> to.set(SHORT, index * 2, Float.floatToFloat16((float) value));
            case BFLOAT16 -> to.set(SHORT, index * 2, SmallFloats.floatToBfloat16((float) value));
            case FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, FLOAT8E8M0 ->
                to.set(BYTE, index, (byte) SmallFloats.encode(type, (float) value, true));
            case FLOAT4E2M1 -> setPacked(to, index, 4, SmallFloats.encode(type, (float) value, true));
            case BOOL -> to.set(BYTE, index, (byte) (value != 0 ? 1 : 0));
            case UINT64 -> to.set(LONG, index * 8, doubleToUnsigned(value));
            default -> setLong(type, to, index, (long) value);
        }
    }

    public static void setLong(ElementType type, MemorySegment to, long index, long value) {
        switch (type) {
            case INT64, UINT64 -> to.set(LONG, index * 8, value);
            case INT32, UINT32 -> to.set(INT, index * 4, (int) value);
            case INT16, UINT16 -> to.set(SHORT, index * 2, (short) value);
            case INT8, UINT8 -> to.set(BYTE, index, (byte) value);
            case BOOL -> to.set(BYTE, index, (byte) (value != 0 ? 1 : 0));
            case INT4, UINT4 -> setPacked(to, index, 4, (int) value);
            case INT2, UINT2 -> setPacked(to, index, 2, (int) value);
            case STRING -> throw new IllegalArgumentException("strings are no numbers");
            default -> setDouble(type, to, index, value);
        }
    }

    /** Writes booleans as bytes. */
    static void write(boolean[] values, MemorySegment to) {
        for (int i = 0; i < values.length; i++) {
            to.set(ByteLayouts.BYTE, i, (byte) (values[i] ? 1 : 0));
        }
    }

    /** The lower 32 bits of each value. */
    static int[] narrowed(long[] wide) {
        int[] values = new int[wide.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = (int) wide[i];
        }
        return values;
    }

    static boolean[] nonZero(long[] wide) {
        boolean[] values = new boolean[wide.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = wide[i] != 0;
        }
        return values;
    }

    /** The value of a 64-bit pattern read as unsigned. */
    public static double unsignedToDouble(long bits) {
        return bits >= 0 ? bits : ((bits >>> 1) | (bits & 1)) * 2.0;
    }

    private static long doubleToUnsigned(double value) {
        return value >= 0x1p63 ? (long) (value - 0x1p63) ^ Long.MIN_VALUE : (long) value;
    }

    private static int packed(MemorySegment from, long index, int bits) {
        long bit = index * bits;
        return (from.get(ValueLayout.JAVA_BYTE, bit >>> 3) >>> (bit & 7)) & ((1 << bits) - 1);
    }

    private static void setPacked(MemorySegment to, long index, int bits, int value) {
        long bit = index * bits;
        int shift = (int) (bit & 7);
        int mask = ((1 << bits) - 1) << shift;
        int old = to.get(ValueLayout.JAVA_BYTE, bit >>> 3);
        to.set(ValueLayout.JAVA_BYTE, bit >>> 3, (byte) ((old & ~mask) | ((value << shift) & mask)));
    }
}
