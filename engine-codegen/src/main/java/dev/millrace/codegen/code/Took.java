package dev.millrace.codegen.code;

import java.util.concurrent.atomic.AtomicLong;

/** How long some work takes a single thread, measured the first times that it is done, by one thread or by several. */
public final class Took {
    /** What nobody has measured. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** The least of so many times counts: now and then a thread loses its processor. */
    private static final int TIMES = 4;

    private final AtomicLong sum = new AtomicLong();
    private long least = UNKNOWN;
    private int times;
    private boolean done;

    /** What to expect of the work, in nanoseconds, for who is about to have it done. */
    public long expect() {
        if (!done) {
            sum.set(0);
        }
        return least;
    }

    /** All parts of the work were done: what was given up halfway says nothing. */
    public void complete() {
        if (!done) {
            least = Math.min(least, sum.get());
            times++;
            done = times == TIMES;
        }
    }

    /** A part of the work begins on this thread: what {@link #end} wants to know. */
    public long begin() {
        return done ? 0 : System.nanoTime();
    }

    public void end(long start) {
        if (!done) {
            sum.addAndGet(System.nanoTime() - start);
        }
    }
}
