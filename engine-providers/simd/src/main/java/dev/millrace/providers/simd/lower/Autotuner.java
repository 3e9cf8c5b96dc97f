package dev.millrace.providers.simd.lower;

import java.util.Arrays;
import java.util.List;

/**
 * The autotuner: measures methods for the same work in turns, and selects the fastest. The caches near the core are
 * evicted before each run, as the rest of a model does: otherwise a method with larger operands would look too good.
 */
final class Autotuner {
    private static final int MOST_ROUNDS = 9;
    private static final int LEAST_ROUNDS = 3;
    /** The most time for all rounds, in nanoseconds; the minimum number of rounds is run nevertheless. */
    private static final long ENOUGH_NANOS = 100_000_000;
    /** The ratio of times below which a method counts as faster: the gain has to exceed the error of measurement. */
    private static final double GAIN = 0.97;

    private static final int DRIVEN_BYTES = 4 << 20;
    private static final int LINE = 64;

    private static final byte[] MEMORY = new byte[DRIVEN_BYTES];

    private Autotuner() {}

    /**
     * Returns the index of the fastest method.
     *
     * @param counted the index of the method that is returned unless another is faster by some per cent
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
