package dev.millrace.session.stream;

/**
 * A detector of requests that come one at a time and take no longer than waking a thread, so that callers do as well to
 * run them themselves. Now and then one is handed over nevertheless, because a run on its caller's thread would hide
 * that more are to come. Guarded by its user.
 */
public final class InlineExecutionPolicy {
    /** The approximate cost of waking a thread, in nanoseconds. */
    static final long SHORT_NANOS = 50_000;
    /** The number of short requests without overlap after which callers run their own. */
    static final int ENOUGH = 64;
    /** The period of the requests that are handed over: few enough that the slowest of a hundred is none of them. */
    static final int PROBE = 1024;
    /** The number of long requests in a row that ends it: fewer may have waited for a processor. */
    static final int LONG_RUN = 4;

    private int lone;
    private int here;
    private int longOnes;
    /** The size of the largest request that is known to be short. */
    private long largest;

    /** Whether the next request, which comes while nothing is under way, may run on its caller's thread. */
    public boolean holds(long size) {
        if (lone < ENOUGH || size > largest) {
            return false;
        }
        here = (here + 1) % PROBE;
        return here != 0;
    }

    /** Records a request that came while another was under way. */
    public void ends() {
        lone = 0;
        largest = 0;
    }

    /** Records the end of a request that overlapped no other. */
    public void alone(long size, long nanos) {
        if (nanos <= SHORT_NANOS) {
            longOnes = 0;
            lone = Math.min(lone + 1, ENOUGH);
            largest = Math.max(largest, size);
            return;
        }
        longOnes++;
        if (longOnes >= LONG_RUN) {
            longOnes = 0;
            ends();
        }
    }
}
