package dev.millrace.providers.simd;

/**
 * Transcendental functions over arrays, in loops that C2 turns into vector code: no branch, no bits of a float taken as
 * an integer (but for the logarithm), bodies small enough to be unrolled. Errors stay within 2e-7 absolute or 4 units
 * of 2^-23 relative. The coefficients are minimax fits. NaN stays NaN.
 */
final class FloatMath {
    private static final float SQRT_HALF = 0.70710677f;

    private FloatMath() {}

    /**
     * y = exp(sign · a): a polynomial at a 1024th of the argument, squared ten times. In double precision the error of
     * the squarings stays below what rounding to float costs, and neither overflow nor denormal results need care.
     */
    static void exp(float[] a, float sign, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            double v = Math.min(Math.max(sign * a[i], -104f), 89f) * 0x1p-10;
            double e = Math.fma(v, 0.00826989656194707, 0.04168381683534584);
            e = Math.fma(e, v, 0.16666724176104059);
            e = Math.fma(e, v, 0.49999994584877466);
            e = Math.fma(e, v, 0.999999999016971);
            e = Math.fma(e, v, 1.0000000000259517);
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            e *= e;
            y[i] = (float) e;
        }
    }

    static void sigmoid(float[] a, float[] y, int n) {
        exp(a, -1f, y, n);
        for (int i = 0; i < n; i++) {
            y[i] = 1f / (1f + y[i]);
        }
    }

    /** The larger of a and 0, plus log(1 + exp(-|a|)) as a quotient of polynomials in the exponential. */
    static void softplus(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = Math.abs(a[i]);
        }
        exp(y, -1f, y, n);
        for (int i = 0; i < n; i++) {
            float e = y[i];
            float over = Math.fma(e, 0.0034172612f, 0.23815683f);
            over = Math.fma(over, e, 1.0662172f);
            over = Math.fma(over, e, 1f);
            float under = Math.fma(e, 0.075287014f, 0.687935f);
            under = Math.fma(under, e, 1.5662171f);
            under = Math.fma(under, e, 1f);
            y[i] = Math.max(a[i], 0f) + e * over / under;
        }
    }

    /** A quotient of polynomials in a², up to where the result rounds to one. */
    static void tanh(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            float x = Math.min(Math.max(a[i], -9f), 9f);
            float s = x * x;
            float over = Math.fma(s, 1.33554545e-8f, 2.060971e-5f);
            over = Math.fma(over, s, 0.0034956287f);
            over = Math.fma(over, s, 0.13381061f);
            over = Math.fma(over, s, 1f);
            float under = Math.fma(s, 7.7768993e-7f, 3.2856993e-4f);
            under = Math.fma(under, s, 0.025877139f);
            under = Math.fma(under, s, 0.46714377f);
            under = Math.fma(under, s, 1f);
            y[i] = Math.min(Math.max(x * over / under, -1f), 1f);
        }
    }

    /** y = erf(factor · a), made as {@link #tanh} is. */
    static void erf(float[] a, float factor, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            float x = Math.min(Math.max(factor * a[i], -3.92f), 3.92f);
            float s = x * x;
            float over = Math.fma(s, 2.0501518e-6f, 2.8487825e-4f);
            over = Math.fma(over, s, 0.0037653537f);
            over = Math.fma(over, s, 0.05274791f);
            over = Math.fma(over, s, 0.19040008f);
            over = Math.fma(over, s, 1.1283791f);
            float under = Math.fma(s, 3.809216e-5f, 0.0011624746f);
            under = Math.fma(under, s, 0.014968687f);
            under = Math.fma(under, s, 0.1141065f);
            under = Math.fma(under, s, 0.5020704f);
            under = Math.fma(under, s, 1f);
            y[i] = Math.min(Math.max(x * over / under, -1f), 1f);
        }
    }

    static void gelu(float[] a, float[] y, int n) {
        erf(a, SQRT_HALF, y, n);
        for (int i = 0; i < n; i++) {
            y[i] = 0.5f * a[i] * (1f + y[i]);
        }
    }

    /** The Gelu whose erf is replaced by a tanh; it is a · sigmoid of twice the tanh's argument. */
    static void geluTanh(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            float x = a[i];
            y[i] = x * Math.fma(x * x, 2 * 0.7978846f * 0.044715f, 2 * 0.7978846f);
        }
        exp(y, -1f, y, n);
        for (int i = 0; i < n; i++) {
            y[i] = a[i] / (1f + y[i]);
        }
    }

    /** Exponent and mantissa from the bits, the rest by a polynomial around one. */
    static void log(float[] a, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = log(a[i]);
        }
    }

    private static float log(float x) {
        if (!(x > 0f) || x == Float.POSITIVE_INFINITY) {
            return x == 0f ? Float.NEGATIVE_INFINITY : x < 0f ? Float.NaN : x;
        }
        boolean tiny = x < Float.MIN_NORMAL;
        int bits = Float.floatToRawIntBits(tiny ? x * 0x1p23f : x);
        // the mantissa comes to lie between the roots of a half and of two
        int exponent = (bits - 0x3f3504f3) >> 23;
        float t = Float.intBitsToFloat(bits - (exponent << 23)) - 1f;
        float scale = tiny ? exponent - 23 : exponent;
        float r = Math.fma(t, -0.076209135f, 0.1290455f);
        r = Math.fma(r, t, -0.13243492f);
        r = Math.fma(r, t, 0.14181855f);
        r = Math.fma(r, t, -0.16609012f);
        r = Math.fma(r, t, 0.20001967f);
        r = Math.fma(r, t, -0.25001585f);
        r = Math.fma(r, t, 0.33333325f);
        r = Math.fma(r, t, -0.49999988f);
        float small = Math.fma(scale, -2.1219444e-4f, r * t * t) + t;
        return Math.fma(scale, 0.6933594f, small);
    }
}
