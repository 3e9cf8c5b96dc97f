package dev.millrace.models.store;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a store.
 *
 * @param given values that take the place of variables of the environment, by the names of these
 * @param patience the longest time without a byte before an attempt counts as failed
 */
public record StoreSettings(Map<String, String> given, Duration patience) {
    public StoreSettings {
        given = Map.copyOf(given);
    }

    /** Returns the value that was given under a name, else that of the environment; null if neither is there or it is empty. */
    public @Nullable String get(String name) {
        String value = given.containsKey(name) ? given.get(name) : System.getenv(name);
        return value == null || value.isBlank() ? null : value.strip();
    }
}
