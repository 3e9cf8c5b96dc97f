package dev.millrace.kernels;

import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.gemm.Activation;

/** Functions in double, far more exact than a float. */
public final class Reference {
    private Reference() {}

    public static double of(FloatFunction function, double x) {
        return switch (function) {
            case NEGATE -> -x;
            case ABS -> Math.abs(x);
            case SQRT -> Math.sqrt(x);
            case RECIPROCAL -> 1 / x;
            case ROUND -> Math.rint(x);
            case FLOOR -> Math.floor(x);
            case CEIL -> Math.ceil(x);
            case TRUNCATE -> x < 0 ? Math.ceil(x) : Math.floor(x);
            case RELU -> Math.max(0, x);
            case EXP, EXP_OF_NEGATIVE -> Math.exp(x);
            case EXP2_OF_NEGATIVE -> Math.pow(2, x);
            case EXPM1 -> Math.expm1(x);
            case LOG1P -> Math.log1p(x);
            case SIN -> Math.sin(x);
            case COS -> Math.cos(x);
            case TAN -> Math.tan(x);
            case ASIN -> Math.asin(x);
            case ACOS -> Math.acos(x);
            case ATAN -> Math.atan(x);
            case SINH -> Math.sinh(x);
            case COSH -> Math.cosh(x);
            case ASINH -> asinh(x);
            case ACOSH -> x < 1 ? Double.NaN : Math.log1p(x - 1 + Math.sqrt((x - 1) * (x + 1)));
            case ATANH -> Math.copySign(Math.log1p(2 * Math.abs(x) / (1 - Math.abs(x))) / 2, x);
            case LOG -> Math.log(x);
            case ERF, ERF_AS_RATIO -> erf(x);
            case TANH -> Math.tanh(x);
            case SIGMOID -> x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x));
            case AS_F16 -> Float.float16ToFloat(Float.floatToFloat16((float) x));
            case AS_BF16 -> bf16((float) x);
        };
    }

    private static float bf16(float x) {
        int bits = Float.floatToRawIntBits(x);
        int odd = bits >> 16 & 1;
        return Float.isNaN(x) ? x : Float.intBitsToFloat(bits + 0x7fff + odd & 0xffff0000);
    }

    public static double of(Activation activation, double x) {
        return switch (activation) {
            case NONE -> x;
            case RELU -> Math.max(0, x);
            case GELU -> x / 2 * (1 + erf(x / Math.sqrt(2)));
            case SILU -> x / (1 + Math.exp(-x));
            case SIGMOID -> 1 / (1 + Math.exp(-x));
            case TANH -> Math.tanh(x);
        };
    }

    private static double asinh(double x) {
        double magnitude = Math.abs(x);
        double square = magnitude * magnitude;
        double inverse = Math.log1p(magnitude + square / (1 + Math.sqrt(square + 1)));
        return Double.isInfinite(x) ? x : Math.copySign(inverse, x);
    }

    /** The series near zero, the continued fraction (Lentz) far from it. */
    public static double erf(double x) {
        double magnitude = Math.abs(x);
        if (magnitude < 2.5) {
            double term = magnitude;
            double sum = magnitude;
            for (int n = 1; n < 200 && term > sum * 1e-18; n++) {
                term *= 2 * magnitude * magnitude / (2 * n + 1);
                sum += term;
            }
            return Math.copySign(2 / Math.sqrt(Math.PI) * Math.exp(-magnitude * magnitude) * sum, x);
        }
        if (magnitude > 7) {
            return Double.isNaN(x) ? x : Math.signum(x);
        }
        double fraction = 0;
        for (int n = 200; n > 0; n--) {
            fraction = n / 2.0 / (magnitude + fraction);
        }
        double complement = Math.exp(-magnitude * magnitude) / Math.sqrt(Math.PI) / (magnitude + fraction);
        return Math.copySign(1 - complement, x);
    }
}
