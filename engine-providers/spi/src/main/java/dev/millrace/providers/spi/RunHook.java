package dev.millrace.providers.spi;

/**
 * A provider's calls around runs of its session. Several runs may be under way at once, on any threads, where the provider
 * {@linkplain ExecutionProvider#isConcurrentRunSupported() supports} that. A run whose start returned has an end, also where
 * it failed.
 */
public interface RunHook {
    /** Called before a run's first step. An exception fails the run. */
    default void onRunStart(RunInfo run) {}

    /** Called when all work of a run has ended. An exception fails the run. */
    default void onRunEnd(RunInfo run) {}
}
