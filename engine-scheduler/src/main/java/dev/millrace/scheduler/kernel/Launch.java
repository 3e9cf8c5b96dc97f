package dev.millrace.scheduler.kernel;

import dev.millrace.scheduler.pool.Scratch;

/**
 * A kernel bound to shapes. Immutable: the state of one run is in the context. In steady state it allocates nothing;
 * scratch arrays come from {@link Scratch}.
 */
@FunctionalInterface
public interface Launch {
    /** Returns a launch that does nothing, for kernels whose outputs are all aliases or folded. */
    static Launch none() {
        return NoLaunch.INSTANCE;
    }

    void run(LaunchContext context);

    /**
     * Does the one-time work of the first run ahead of it, without computing anything.
     *
     * @param checkCancelled throws where the preparation was cancelled
     */
    default void prewarm(Runnable checkCancelled) {
        // most launches have no one-time work
    }

    /** The number of bytes that a run of it uses beside the memory in its context. */
    default long memoryBytes() {
        return 0;
    }

    /** Releases memory that it keeps for later runs and that no run has needed since the last call. */
    default void trim() {
        // most launches keep no memory
    }

    /** Describes its work line by line for people; empty where the node's name says all. */
    default String text() {
        return "";
    }
}
