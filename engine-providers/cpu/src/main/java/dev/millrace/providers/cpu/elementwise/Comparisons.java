package dev.millrace.providers.cpu.elementwise;

/**
 * Comparisons that give 1 or 0 without a jump: which of two numbers is the smaller one is what a processor cannot guess, and
 * each wrong guess costs more than the rest of a loop.
 */
final class Comparisons {
    private static final int SIGN = Long.SIZE - 1;

    private Comparisons() {}

    static long isEqual(long x, long y) {
        long difference = x ^ y;
        return 1 ^ (difference | -difference) >>> SIGN;
    }

    /** The sign of the difference, or that of {@code x} where the difference is too large for one. */
    static long isLess(long x, long y) {
        return (x & ~y | ~(x ^ y) & x - y) >>> SIGN;
    }

    /** Whether there is no difference, except between infinities. */
    static double isEqual(double x, double y) {
        double difference = x - y;
        if (Double.isNaN(difference)) {
            return x == y ? 1 : 0;
        }
        long magnitude = Double.doubleToRawLongBits(difference) << 1;
        return 1 ^ (magnitude | -magnitude) >>> SIGN;
    }

    /** The sign of the difference, where there is one; that of zeros is taken off. */
    static double isLess(double x, double y) {
        double difference = x - y + 0.0;
        if (Double.isNaN(difference)) {
            return x < y ? 1 : 0;
        }
        return Double.doubleToRawLongBits(difference) >>> SIGN;
    }

    /** That the other one is not less, which does not follow for NaN. */
    static double isLessOrEqual(double x, double y) {
        double difference = y - x + 0.0;
        if (Double.isNaN(difference)) {
            return x <= y ? 1 : 0;
        }
        return 1 ^ Double.doubleToRawLongBits(difference) >>> SIGN;
    }
}
