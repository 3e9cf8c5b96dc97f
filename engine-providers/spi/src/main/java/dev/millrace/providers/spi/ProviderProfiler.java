package dev.millrace.providers.spi;

import dev.millrace.scheduler.event.DeviceActivity;
import java.util.List;

/** A profiler of the time that a provider's device spends on one run. Other runs may be under way meanwhile. */
public interface ProviderProfiler extends AutoCloseable {
    /**
     * Starts profiling, before the run's first step.
     *
     * @param nanoTime the time now by {@link System#nanoTime()}, onto which the clock of the device is mapped
     */
    void start(long nanoTime);

    /** Stops profiling once all work of the run has ended, and returns the activity of the device. */
    List<DeviceActivity> stop();

    @Override
    default void close() {}
}
