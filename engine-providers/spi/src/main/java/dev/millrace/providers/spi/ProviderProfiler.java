package dev.millrace.providers.spi;

import java.util.List;
import java.util.Map;

/** What a provider knows of the time that its device spent. One is made per profile. */
public interface ProviderProfiler extends AutoCloseable {
    /** A stretch of time; times are those of {@link System#nanoTime()}. */
    record Event(String category, String name, long startNanos, long durationNanos, Map<String, String> arguments) {
        public Event {
            arguments = Map.copyOf(arguments);
        }
    }

    /** Begins; what the device tells later is moved onto the clock that shows {@code nanoTime} now. */
    void start(long nanoTime);

    /** Ends, and returns what happened on the device. */
    List<Event> stop();

    @Override
    default void close() {}
}
