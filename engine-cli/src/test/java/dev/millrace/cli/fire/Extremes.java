package dev.millrace.cli.fire;

import java.util.Random;

/** Numbers at which something ends. */
final class Extremes {
    private static final long[] NUMBERS = {
        16,
        17,
        127,
        128,
        255,
        256,
        65_535,
        1 << 20,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 31,
        1L << 32,
        1L << 40,
        1L << 62,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private Extremes() {}

    /** A small number half of the time, also below zero. */
    static long number(Random random) {
        return random.nextBoolean() ? random.nextInt(10) - 3 : NUMBERS[random.nextInt(NUMBERS.length)];
    }

    static double real(Random random) {
        return switch (random.nextInt(12)) {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> Double.NEGATIVE_INFINITY;
            case 3 -> 1e38;
            case 4 -> -65504;
            case 5 -> 1e9;
            case 6 -> 1e-40;
            case 7 -> -0.0;
            case 8 -> number(random);
            default -> random.nextGaussian();
        };
    }
}
