package dev.millrace.scheduler.kernel;

/** What every kernel may use while it runs. */
public interface RunContext {
    /**
     * Runs {@code task} over {@code [0, items)} in ranges of about {@code grain} items and more, on this thread and on
     * idle workers, and returns when all is done. Small work stays on this thread. Between ranges, which take some
     * milliseconds, cancellation is looked at; a task does so itself where an item takes longer. Not to be nested.
     */
    void parallelFor(long items, long grain, RangeTask task);

    /**
     * The same for work that takes one thread so long, as far as anybody knows: no more workers are woken for it than it is
     * worth waking. Those that look for work come by themselves.
     */
    default void parallelFor(long items, long grain, RangeTask task, long nanos) {
        parallelFor(items, grain, task);
    }

    /** Reusable arrays of this thread. */
    Scratch scratch();

    /** Throws where the run was cancelled; long loops call it now and then. */
    void checkCancelled();

    /** {@link #checkCancelled()} at one of many steps, for loops of short ones. */
    default void checkCancelled(long step) {
        if ((step & 0xfff) == 0) {
            checkCancelled();
        }
    }
}
