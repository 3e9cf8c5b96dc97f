package dev.millrace.kernels.call;

/** The number of parts into which work is cut, so that the slowest of the threads that share it ends early. */
public final class WorkSplit {
    /** The most threads for which parts are as large as the caches allow: cutting them evenly gains nothing. */
    private static final int FEW_THREADS = 2;

    /** The number of parts for each thread with which threads hardly wait for each other. */
    private static final int ENOUGH = 4;

    private WorkSplit() {}

    /** Whether work is cut to suit {@code threads} threads. */
    public static boolean isFor(int threads) {
        return threads > FEW_THREADS;
    }

    /**
     * Returns the number of things that the thread with most of them processes.
     *
     * @param units units of work, each of which has all things
     * @param parts the number of parts into which each unit is cut
     */
    public static long slowest(int things, int parts, int units, int threads) {
        return Math.ceilDiv((long) units * parts, threads) * Math.ceilDiv(things, parts);
    }

    /**
     * Returns the fewest parts of each unit with which the slowest thread has least to do.
     *
     * @param least the least number of parts
     */
    public static int of(int things, int least, int units, int threads) {
        int best = least;
        int most = isFor(threads) ? Math.min(things, least + ENOUGH * threads) : least;
        for (int parts = least + 1; parts <= most; parts++) {
            if (slowest(things, parts, units, threads) < slowest(things, best, units, threads)) {
                best = parts;
            }
        }
        return best;
    }
}
