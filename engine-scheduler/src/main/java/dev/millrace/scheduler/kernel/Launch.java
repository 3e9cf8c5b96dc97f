package dev.millrace.scheduler.kernel;

/**
 * A kernel bound to shapes. Immutable: what belongs to one run is in the context. In steady state it allocates nothing;
 * scratch arrays come from {@link Scratch}.
 */
@FunctionalInterface
public interface Launch {
    /** Does nothing: for kernels whose outputs are all aliases or folded. */
    static Launch none() {
        return NoLaunch.INSTANCE;
    }

    void run(LaunchContext context);

    /**
     * Does beforehand what the first run would do once for itself and all later ones. Computes nothing.
     *
     * @param checkCancelled throws where nobody waits for it any more
     */
    default void rehearse(Runnable checkCancelled) {
        // most have nothing to make
    }

    /** The bytes of its own that a run of it computes in, beside what its context gives. */
    default long memoryBytes() {
        return 0;
    }

    /** Gives up memory that it keeps for later runs and that no run has needed since the last call. */
    default void trim() {
        // most keep nothing
    }

    /** What it does, line by line, for a reader; nothing where there is no more to say than the node's name. */
    default String text() {
        return "";
    }
}
