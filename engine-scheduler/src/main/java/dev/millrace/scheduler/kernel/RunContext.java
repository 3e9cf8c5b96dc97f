package dev.millrace.scheduler.kernel;

/** What every kernel may use while it runs. */
public interface RunContext {
    /**
     * Runs {@code task} over {@code [0, items)} in ranges of about {@code grain} items and more, on this thread and on
     * idle workers, and returns when all is done. Small work stays on this thread. Between ranges, which take some
     * milliseconds, cancellation is looked at; a task does so itself where an item takes longer. Not to be nested.
     */
    void parallelFor(long items, long grain, RangeTask task);

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
