package dev.millrace.kernels.cast;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Random;

/** Numbers of all types as Java objects: floats as doubles, ints as big integers. */
final class Numbers {
    private static final double[] SPECIAL = {
        0,
        -0.0,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        0.5,
        -0.5,
        1e-30,
        70_000,
        65_520,
        3e38,
        // // Ties between floats, also at the ends of their range; numbers next to ties; denormals.
        0x1.000001p0,
        0x1.000003p0,
        0x1.0000010000001p0,
        0x1.ffffffp127,
        0x1.fffffefffffffp127,
        0x1p-149,
        -0x1p-150,
        0x1.0000000000001p-150,
        0x1.8p-149,
        0x1.fffffep-127,
        Double.MIN_VALUE,
        Double.MAX_VALUE
    };

    private Numbers() {}

    /**
     * Returns a random number of one type. If the other type is an int, it can often hold the number except for its
     * fraction.
     */
    static Number random(NumberType type, NumberType other, Random random) {
        int bits = type.bits();
        if (!type.isFloat()) {
            if (bits == Long.SIZE && random.nextBoolean()) {
                return nearTie(type, random);
            }
            int some = 1 + random.nextInt(bits);
            BigInteger number = type == NumberType.BOOL
                    ? BigInteger.valueOf(random.nextInt(2))
                    : new BigInteger(type.isSigned() ? some - 1 : some, random);
            return type.isSigned() && random.nextBoolean() ? number.not() : number;
        }
        if (other.isFloat() || other == NumberType.BOOL) {
            boolean special = random.nextInt(4) == 0;
            return special ? SPECIAL[random.nextInt(SPECIAL.length)] : random.nextGaussian() * 100;
        }
        if (random.nextInt(8) == 0) {
            double[] beyond = {0x1p31, -0x1p31, 0x1p32, 0x1.8p33, -0x1.8p31, 0x1p63, -0x1p63, 0x1p64, -0x1p64};
            int choice = random.nextInt(SPECIAL.length + beyond.length);
            return choice < SPECIAL.length ? SPECIAL[choice] : beyond[choice - SPECIAL.length];
        }
        int most = Math.min(other.bits() - (other.isSigned() ? 1 : 0), type == NumberType.F64 ? 64 : 60);
        double number = Math.abs(random.nextDouble()) * Math.scalb(0.999, 1 + random.nextInt(most));
        if (type == NumberType.F16) {
            number = Math.min(number, 60_000);
        }
        if (other.isSigned() && random.nextBoolean()) {
            number = -number;
        }
        return number;
    }

    /** Returns an int at most one away from the middle between two floats. */
    private static BigInteger nearTie(NumberType type, Random random) {
        long tie = (1L << 24 | 1 | random.nextInt(1 << 24)) << random.nextInt(38);
        BigInteger number = BigInteger.valueOf(tie + random.nextInt(3) - 1);
        if (!type.isSigned()) {
            return random.nextBoolean() ? number.shiftLeft(1) : number;
        }
        return random.nextBoolean() ? number.negate() : number;
    }

    static void put(NumberType type, MemorySegment to, long index, Number number) {
        long bits = number.longValue();
        switch (type) {
            case F64 -> to.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, number.doubleValue());
            case F32 -> to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, (float) number.doubleValue());
            case F16 ->
                to.setAtIndex(
                        ValueLayout.JAVA_SHORT_UNALIGNED, index, Float.floatToFloat16((float) number.doubleValue()));
            case BF16 ->
                to.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index, (short)
                        (Float.floatToIntBits(toBf16((float) number.doubleValue())) >>> 16));
            case S64, U64 -> to.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, bits);
            case S32, U32 -> to.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, (int) bits);
            case S16, U16 -> to.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index, (short) bits);
            case S8, U8, BOOL -> to.set(ValueLayout.JAVA_BYTE, index, (byte) bits);
            case S4, U4 -> {
                int shift = (int) (4 * (index % 2));
                int both = to.get(ValueLayout.JAVA_BYTE, index / 2) & 0xf0 >> shift;
                to.set(ValueLayout.JAVA_BYTE, index / 2, (byte) (both | (bits & 15) << shift));
            }
        }
    }

    static Number get(NumberType type, MemorySegment from, long index) {
        return switch (type) {
            case F64 -> from.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
            case F32 -> (double) from.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
            case F16 -> (double) Float.float16ToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index));
            case BF16 -> (double) Float.intBitsToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index) << 16);
            case S64, U64 -> fitting(type, from.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index));
            case S32, U32 -> fitting(type, from.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index));
            case S16, U16 -> fitting(type, from.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index));
            case S8, U8, BOOL -> fitting(type, from.get(ValueLayout.JAVA_BYTE, index));
            case S4, U4 -> fitting(type, from.get(ValueLayout.JAVA_BYTE, index / 2) >> 4 * (index % 2));
        };
    }

    /** Returns the lower bits as a number with the sign of the type. */
    private static BigInteger fitting(NumberType type, long bits) {
        BigInteger range = BigInteger.ONE.shiftLeft(type.bits());
        BigInteger number = BigInteger.valueOf(bits).mod(range);
        return type.isSigned() && number.testBit(type.bits() - 1) ? number.subtract(range) : number;
    }

    static float toBf16(float x) {
        if (Float.isNaN(x) || Float.isInfinite(x)) {
            return x;
        }
        int bits = Float.floatToRawIntBits(x);
        int below = bits & 0xffff;
        int cut = bits & 0xffff0000;
        boolean up = below > 0x8000 || below == 0x8000 && (cut >>> 16 & 1) != 0;
        return Float.intBitsToFloat(up ? cut + 0x10000 : cut);
    }

    static Number cast(Number number, NumberType to) {
        boolean isFloat = number instanceof Double;
        if (to == NumberType.BOOL) {
            return number.doubleValue() == 0 ? BigInteger.ZERO : BigInteger.ONE;
        }
        if (to.isFloat()) {
            float rounded = isFloat ? (float) number.doubleValue() : ((BigInteger) number).floatValue();
            return switch (to) {
                case F64 -> number.doubleValue();
                case F16 -> (double) Float.float16ToFloat(Float.floatToFloat16(rounded));
                case BF16 -> (double) toBf16(rounded);
                default -> (double) rounded;
            };
        }
        BigInteger whole = isFloat ? nearest(number.doubleValue(), to) : (BigInteger) number;
        return fitting(to, whole.longValue());
    }

    /** Returns a number as the nearest int of 32 or 64 bits, cut off towards zero. */
    private static BigInteger nearest(double number, NumberType to) {
        if (Double.isNaN(number)) {
            return BigInteger.ZERO;
        }
        int bits = to.bits() == Long.SIZE ? Long.SIZE : Integer.SIZE;
        boolean upperBit = to == NumberType.U32 || to == NumberType.U64;
        BigInteger least = BigInteger.ONE.shiftLeft(bits - 1).negate();
        BigInteger most = BigInteger.ONE.shiftLeft(upperBit ? bits : bits - 1).subtract(BigInteger.ONE);
        double finite = Math.clamp(number, -Double.MAX_VALUE, Double.MAX_VALUE);
        return new BigDecimal(finite).toBigInteger().min(most).max(least);
    }
}
