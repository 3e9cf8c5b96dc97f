package dev.millrace.scheduler.kernel;

import dev.millrace.scheduler.pool.Scratch;

/** The services for every kernel while it runs: parallel loops, scratch arrays, cancellation. */
public interface RunServices {
    /**
     * Runs {@code task} over {@code [0, items)} in ranges of about {@code grain} items and more, on this thread and on
     * idle workers, and returns when all is done. Small work stays on this thread. Cancellation is checked between
     * ranges, which take some milliseconds; a task checks it itself where an item takes longer. Loops must not be
     * nested.
     */
    void parallelFor(long items, long grain, RangeTask task);

    /**
     * Runs a loop like {@link #parallelFor(long, long, RangeTask)} with an estimate of the time that it takes one
     * thread. The estimate limits the number of workers that are woken for it. Workers that are awake join by
     * themselves.
     */
    default void parallelFor(long items, long grain, RangeTask task, long nanos) {
        parallelFor(items, grain, task);
    }

    /** The reusable arrays of this thread. */
    Scratch scratch();

    /** Throws if the run was cancelled; long loops call it now and then. */
    void checkCancelled();

    /** Calls {@link #checkCancelled()} once in 4096 steps, for loops of short steps. */
    default void checkCancelled(long step) {
        if ((step & 0xfff) == 0) {
            checkCancelled();
        }
    }
}
