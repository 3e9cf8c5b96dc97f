package dev.millrace.providers.cpu.search;

/**
 * The generator of Park and Miller with their first multiplier, which C++ calls {@code minstd_rand0}; GCC's default one.
 * The same seed draws here what it draws in programs of that compiler.
 */
final class MinimalStandard {
    private static final long MULTIPLIER = 16807;
    private static final long MODULUS = 0x7fff_ffffL;
    /** How many different numbers there are, from 1. */
    private static final double RANGE = MODULUS - 1;

    private long state;

    MinimalStandard(int seed) {
        state = Integer.toUnsignedLong(seed) % MODULUS;
        if (state == 0) {
            state = 1;
        }
    }

    private double next() {
        state = state * MULTIPLIER % MODULUS;
        return state - 1;
    }

    /** A number from 0 to before 1, of two drawn ones. */
    double nextDouble() {
        double low = next();
        double number = (low + next() * RANGE) / (RANGE * RANGE);
        return Math.min(number, Math.nextDown(1.0));
    }
}
