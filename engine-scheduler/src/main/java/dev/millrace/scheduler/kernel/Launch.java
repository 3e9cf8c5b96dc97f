package dev.millrace.scheduler.kernel;

/**
 * A kernel bound to shapes. Immutable: what belongs to one run is in the context. In steady state it allocates nothing;
 * scratch arrays come from {@link Scratch}.
 */
@FunctionalInterface
public interface Launch {
    /** Does nothing: for kernels whose outputs are all aliases or folded. */
    Launch NONE = context -> {};

    void run(LaunchContext context);

    /** What it does, line by line, for a reader; nothing where there is no more to say than the node's name. */
    default String text() {
        return "";
    }
}
