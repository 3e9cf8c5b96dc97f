package dev.millrace.providers.spi;

import java.util.List;
import java.util.Map;

/** A profiler of the time that a provider's device spends. One is created per profile. */
public interface ProviderProfiler extends AutoCloseable {
    /** A period of device activity. Times are those of {@link System#nanoTime()}. */
    record Event(String category, String name, long startNanos, long durationNanos, Map<String, String> arguments) {
        public Event {
            arguments = Map.copyOf(arguments);
        }
    }

    /** Starts profiling. {@code nanoTime} is the time now, onto which the clock of the device is mapped. */
    void start(long nanoTime);

    /** Stops profiling and returns the activity of the device. */
    List<Event> stop();

    @Override
    default void close() {}
}
