package dev.millrace.graph.tensor;

/**
 * Conversions between float and the floating types of sixteen bits and fewer. All encoders round to nearest, ties to
 * even; the 8-bit and 4-bit ones saturate or not as told.
 */
public final class SmallFloats {
    private SmallFloats() {}

    public static float bfloat16ToFloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    public static short floatToBfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if ((bits & 0x7fffffff) > 0x7f800000) {
            return (short) ((bits >>> 16) | 0x40);
        }
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }

    /** The value of an 8-bit or 4-bit pattern of {@code type}. */
    public static float decode(ElementType type, int bits) {
        return switch (type) {
            case FLOAT8E4M3FN -> E4M3FN.decode(bits);
            case FLOAT8E4M3FNUZ -> E4M3FNUZ.decode(bits);
            case FLOAT8E5M2 -> E5M2.decode(bits);
            case FLOAT8E5M2FNUZ -> E5M2FNUZ.decode(bits);
            case FLOAT4E2M1 -> E2M1.decode(bits);
            case FLOAT8E8M0 -> (bits & 0xff) == 0xff ? Float.NaN : (float) Math.scalb(1.0, (bits & 0xff) - 127);
            default -> throw new IllegalArgumentException(type + " is no small floating type");
        };
    }

    /** The pattern of {@code type} nearest to {@code value}; out of range gives the largest finite when saturating. */
    public static int encode(ElementType type, float value, boolean saturate) {
        return switch (type) {
            case FLOAT8E4M3FN -> E4M3FN.encode(value, saturate);
            case FLOAT8E4M3FNUZ -> E4M3FNUZ.encode(value, saturate);
            case FLOAT8E5M2 -> E5M2.encode(value, saturate);
            case FLOAT8E5M2FNUZ -> E5M2FNUZ.encode(value, saturate);
            case FLOAT4E2M1 -> E2M1.encode(value, true);
            case FLOAT8E8M0 -> encodeE8m0(value, saturate);
            default -> throw new IllegalArgumentException(type + " is no small floating type");
        };
    }

    /** Powers of two only: rounded to nearest with ties up, clamped to the range of the exponent. */
    private static int encodeE8m0(float value, boolean saturate) {
        int bits = Float.floatToRawIntBits(value);
        int exponent = (bits >>> 23) & 0xff;
        if (Float.isNaN(value)) {
            return 0xff;
        }
        if (exponent == 0xff) {
            return saturate ? 0xfe : 0xff;
        }
        int mantissa = bits & 0x7fffff;
        boolean up = exponent == 0 ? mantissa > 0x400000 : mantissa >= 0x400000;
        int rounded = up ? exponent + 1 : exponent;
        return rounded == 0xff ? (saturate ? 0xfe : 0xff) : rounded;
    }

    private static final Format E4M3FN = new Format(4, 3, 7, 0x7f, -1, 448f, false);
    private static final Format E4M3FNUZ = new Format(4, 3, 8, 0x80, -1, 240f, true);
    private static final Format E5M2 = new Format(5, 2, 15, 0x7e, 0x7c, 57344f, false);
    private static final Format E5M2FNUZ = new Format(5, 2, 16, 0x80, -1, 57344f, true);
    private static final Format E2M1 = new Format(2, 1, 1, -1, -1, 6f, false);

    /**
     * A sign, exponent and mantissa format. {@code nan} and {@code infinity} are patterns or -1 where the format has
     * none; {@code unsignedZero} formats use the pattern of negative zero for NaN.
     */
    private record Format(
            int exponentBits, int mantissaBits, int bias, int nan, int infinity, float max, boolean unsignedZero) {

        float decode(int raw) {
            int width = exponentBits + mantissaBits;
            int sign = (raw >>> width) & 1;
            int magnitude = raw & ((1 << width) - 1);
            if (unsignedZero ? raw == nan : nan >= 0 && (infinity >= 0 ? magnitude > infinity : magnitude == nan)) {
                return Float.NaN;
            }
            if (magnitude == infinity) {
                return sign == 0 ? Float.POSITIVE_INFINITY : Float.NEGATIVE_INFINITY;
            }
            int exponent = magnitude >>> mantissaBits;
            int mantissa = magnitude & ((1 << mantissaBits) - 1);
            double value = exponent == 0
                    ? Math.scalb((double) mantissa, 1 - bias - mantissaBits)
                    : Math.scalb((double) ((1 << mantissaBits) | mantissa), exponent - bias - mantissaBits);
            return (float) (sign == 0 ? value : -value);
        }

        int encode(float value, boolean saturate) {
            int width = exponentBits + mantissaBits;
            int sign = (Float.floatToRawIntBits(value) >>> 31) << width;
            if (Float.isNaN(value)) {
                return nan < 0 ? 0 : unsignedZero ? nan : nan | sign;
            }
            double size = Math.abs((double) value);
            int top = patternOf(max);
            if (Double.isInfinite(size)) {
                return saturate ? sign | top : outOfRange(sign);
            }
            int magnitude = patternOf(size);
            if (magnitude > top) {
                return saturate ? sign | top : outOfRange(sign);
            }
            return magnitude == 0 && unsignedZero ? 0 : sign | magnitude;
        }

        private int outOfRange(int sign) {
            return infinity >= 0 ? sign | infinity : unsignedZero ? nan : sign | nan;
        }

        /** The magnitude pattern nearest to {@code size}, which may exceed the largest finite one. */
        private int patternOf(double size) {
            int exponent = Math.max(size == 0 ? 1 - bias : Math.getExponent(size), 1 - bias);
            long steps = (long) Math.rint(Math.scalb(size, mantissaBits - exponent));
            long pattern = steps + ((long) (exponent + bias - 1) << mantissaBits);
            return (int) Math.min(pattern, 1 << 20);
        }
    }
}
