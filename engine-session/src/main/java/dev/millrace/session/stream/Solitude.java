package dev.millrace.session.stream;

/**
 * Whether requests come one at a time and take no longer than to wake a thread: whoever asks then does as well to run them
 * itself. Now and then one is handed over nevertheless, for on its asker's thread it would not be seen that more are to come.
 * Guarded by its user.
 */
public final class Solitude {
    /** What it takes to wake a thread, about. */
    static final long SHORT_NANOS = 50_000;
    /** So many short ones that met nobody make solitude. */
    static final int ENOUGH = 64;
    /** One of so many is handed over: few enough that the slowest of a hundred is none of them. */
    static final int PROBE = 1024;
    /** So many long ones in a row end it: fewer may have waited for a processor. */
    static final int LONG_RUN = 4;

    private int lone;
    private int here;
    private int longOnes;
    /** The size of the largest request of which it is known that it is short. */
    private long largest;

    /** Whether the next request, which comes while nothing is under way, may run where it is asked for. */
    public boolean holds(long size) {
        if (lone < ENOUGH || size > largest) {
            return false;
        }
        here = (here + 1) % PROBE;
        return here != 0;
    }

    /** A request has come while another was under way. */
    public void ends() {
        lone = 0;
        largest = 0;
    }

    /** A request has ended that met no other. */
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
