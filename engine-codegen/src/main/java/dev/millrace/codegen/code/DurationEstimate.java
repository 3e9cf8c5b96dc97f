package dev.millrace.codegen.code;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The time that some work takes a single thread, measured the first times that it is done, by one thread or by several.
 */
public final class DurationEstimate {
    /** The value of a time that was not measured yet. */
    public static final long UNKNOWN = Long.MAX_VALUE;

    /** The number of measurements, of which the least counts, since a thread may lose its processor now and then. */
    private static final int TIMES = 4;

    private final AtomicLong sum = new AtomicLong();
    private long least = UNKNOWN;
    private int times;
    private boolean done;

    /** Returns the expected time of the work in nanoseconds, and starts a new measurement. */
    public long expect() {
        if (!done) {
            sum.set(0);
        }
        return least;
    }

    /** Ends a measurement after all parts of the work were done. Work that was abandoned is not measured. */
    public void complete() {
        if (!done) {
            least = Math.min(least, sum.get());
            times++;
            done = times == TIMES;
        }
    }

    /** Begins a part of the work on this thread; returns the argument for {@link #end}. */
    public long begin() {
        return done ? 0 : System.nanoTime();
    }

    public void end(long start) {
        if (!done) {
            sum.addAndGet(System.nanoTime() - start);
        }
    }
}
