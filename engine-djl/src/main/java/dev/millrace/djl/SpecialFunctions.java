package dev.millrace.djl;

/** Functions that {@link Math} does not have. */
final class SpecialFunctions {
    private static final double ROOT_OF_PI = Math.sqrt(Math.PI);
    /** Lanczos's coefficients for g = 5 and six terms ("Numerical Recipes", 6.1). */
    private static final double[] LANCZOS = {
        76.18009172947146,
        -86.50532032941677,
        24.01409824083091,
        -1.231739572450155,
        0.1208650973866179e-2,
        -0.5395239384953e-5
    };

    private SpecialFunctions() {}

    /** Returns the error function by its series of positive terms (Abramowitz and Stegun, 7.1.6). */
    static double erf(double x) {
        if (Math.abs(x) > 6) {
            return Math.signum(x);
        }
        double term = 2 * x * Math.exp(-x * x) / ROOT_OF_PI;
        double sum = term;
        for (int n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
            term *= 2 * x * x / (2 * n + 1);
            sum += term;
        }
        return sum;
    }

    /** Returns the number with an error function: Winitzki's approximation, made exact by Newton's steps. */
    static double inverseErf(double y) {
        if (!(Math.abs(y) < 1)) {
            return Math.abs(y) == 1 ? y * Double.POSITIVE_INFINITY : Double.NaN;
        }
        double log = Math.log1p(-y * y);
        double half = 2 / (Math.PI * 0.147) + log / 2;
        double x = Math.copySign(Math.sqrt(Math.sqrt(half * half - log / 0.147) - half), y);
        for (int i = 0; i < 4; i++) {
            x -= (erf(x) - y) * ROOT_OF_PI / 2 * Math.exp(x * x);
        }
        return x;
    }

    /** Returns the logarithm of the magnitude of the gamma function, by Lanczos's approximation and Euler's reflection. */
    static double logGamma(double x) {
        if (x <= 0 && x == Math.rint(x)) {
            return Double.POSITIVE_INFINITY;
        }
        if (x == Double.POSITIVE_INFINITY) {
            return x;
        }
        if (x < 0.5) {
            return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * x))) - logGamma(1 - x);
        }
        double base = x + 4.5;
        double sum = 1.000000000190015;
        for (int i = 0; i < LANCZOS.length; i++) {
            sum += LANCZOS[i] / (x + i);
        }
        return (x - 0.5) * Math.log(base) - base + Math.log(Math.sqrt(Math.TAU) * sum);
    }

    static double asinh(double x) {
        double magnitude = Math.abs(x);
        double square = magnitude * magnitude;
        double result = magnitude > 1e8 // the 1 below the root has no digit of the sum
                ? Math.log(magnitude) + Math.log(2)
                : Math.log1p(magnitude + square / (1 + Math.sqrt(square + 1)));
        return Math.copySign(result, x);
    }

    /** Returns the remainder that has the sign of the divisor. */
    static double modulo(double x, double divisor) {
        double remainder = x % divisor;
        return remainder != 0 && remainder < 0 != divisor < 0 ? remainder + divisor : remainder;
    }
}
