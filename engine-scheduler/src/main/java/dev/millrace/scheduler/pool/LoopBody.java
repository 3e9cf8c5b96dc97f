package dev.millrace.scheduler.pool;

/** The body of a parallel loop, which several threads run at once on ranges that do not overlap. */
@FunctionalInterface
public interface LoopBody {
    /** Does the items in {@code [from, to)}, with arrays of the executing thread. */
    void run(long from, long to, Scratch scratch);

    /** Throws if the loop is to stop; called between ranges. */
    default void checkCancelled() {
        // most loops of the pool's own go on to their end
    }
}
