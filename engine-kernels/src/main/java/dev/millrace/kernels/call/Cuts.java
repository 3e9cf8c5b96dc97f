package dev.millrace.kernels.call;

/** Into how many parts work is cut, so that the slowest of the threads that share it is soon done. */
public final class Cuts {
    /** With so few threads, parts are as large as the caches want them: cutting them evenly gains nothing. */
    private static final int FEW_THREADS = 2;

    /** With so many parts for each thread, hardly anybody waits. */
    private static final int ENOUGH = 4;

    private Cuts() {}

    /** Whether work is cut for so many threads. */
    public static boolean isFor(int threads) {
        return threads > FEW_THREADS;
    }

    /**
     * How many of some things the thread with most of them does.
     *
     * @param units of work, each with all things
     * @param parts into which each unit is cut
     */
    public static long slowest(int things, int parts, int units, int threads) {
        return Math.ceilDiv((long) units * parts, threads) * Math.ceilDiv(things, parts);
    }

    /**
     * The fewest parts of each unit with which the slowest thread has least to do.
     *
     * @param least that the parts must be
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
