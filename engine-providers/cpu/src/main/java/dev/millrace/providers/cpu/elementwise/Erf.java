package dev.millrace.providers.cpu.elementwise;

/**
 * The error function. Its Taylor series around the nearest of a grid of points has derivatives that follow from one
 * exponential: with e = erf'(a), the next are -2a e, (4a² - 2) e, (12a - 8a³) e, (16a⁴ - 48a² + 12) e.
 */
public final class Erf {
    private static final int STEPS = 64;
    private static final int LIMIT = 6;
    private static final double[] VALUE = new double[LIMIT * STEPS + 1];
    private static final double[] SLOPE = new double[LIMIT * STEPS + 1];

    static {
        for (int i = 0; i < VALUE.length; i++) {
            double a = (double) i / STEPS;
            VALUE[i] = series(a);
            SLOPE[i] = 2 / Math.sqrt(Math.PI) * Math.exp(-a * a);
        }
    }

    private Erf() {}

    /** All terms of {@code exp(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (1·3·5…(2n+1))} are positive, so that none cancels another. */
    private static double series(double x) {
        double term = x;
        double sum = x;
        for (int n = 1; term > sum * 1e-18; n++) {
            term *= 2 * x * x / (2 * n + 1);
            sum += term;
        }
        return Math.min(1, 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum);
    }

    public static double erf(double x) {
        double size = Math.abs(x);
        if (!(size < LIMIT)) {
            return Double.isNaN(x) ? x : Math.signum(x);
        }
        int nearest = (int) (size * STEPS + 0.5);
        double a = (double) nearest / STEPS;
        double d = size - a;
        double square = a * a;
        double fifth = (16 * square * square - 48 * square + 12) / 120;
        double fourth = a * (12 - 8 * square) / 24;
        double third = (4 * square - 2) / 6;
        double bend = 1 + d * (-a + d * (third + d * (fourth + d * fifth)));
        return Math.copySign(VALUE[nearest] + SLOPE[nearest] * d * bend, x);
    }
}
