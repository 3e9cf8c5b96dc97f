package dev.millrace.providers.simd.lower;

import java.util.Arrays;
import java.util.List;

/**
 * Runs ways of doing the same in turns, and takes the fastest. What the caches near the core hold is driven out before each
 * run, as the rest of a model does: a way whose operands are larger would look too good without.
 */
final class Trials {
    private static final int MOST_ROUNDS = 9;
    private static final int LEAST_ROUNDS = 3;
    /** What all rounds may take, but for the least of them. */
    private static final long ENOUGH_NANOS = 100_000_000;
    /** What is gained has to be more than what measuring is off by. */
    private static final double GAIN = 0.97;

    private static final int DRIVEN_BYTES = 4 << 20;
    private static final int LINE = 64;

    private static final byte[] MEMORY = new byte[DRIVEN_BYTES];

    private Trials() {}

    /**
     * The number of the fastest way.
     *
     * @param counted the number of the one that it is unless another is faster by some per cent
     */
    static synchronized int fastest(List<Runnable> ways, int counted) {
        ways.forEach(Runnable::run);
        long[][] nanos = new long[ways.size()][MOST_ROUNDS];
        long start = System.nanoTime();
        int rounds = 0;
        while (rounds < MOST_ROUNDS && (rounds < LEAST_ROUNDS || System.nanoTime() - start < ENOUGH_NANOS)) {
            for (int way = 0; way < nanos.length; way++) {
                nanos[way][rounds] = nanos(ways.get(way));
            }
            rounds++;
        }
        int best = counted;
        double least = GAIN * median(nanos[counted], rounds);
        for (int way = 0; way < nanos.length; way++) {
            double median = median(nanos[way], rounds);
            if (way != counted && median < least) {
                best = way;
                least = median;
            }
        }
        return best;
    }

    private static long nanos(Runnable way) {
        for (int i = 0; i < DRIVEN_BYTES; i += LINE) {
            MEMORY[i]++;
        }
        long start = System.nanoTime();
        way.run();
        return System.nanoTime() - start;
    }

    private static double median(long[] nanos, int rounds) {
        long[] sorted = Arrays.copyOf(nanos, rounds);
        Arrays.sort(sorted);
        return (sorted[(rounds - 1) / 2] + sorted[rounds / 2]) / 2.0;
    }
}
