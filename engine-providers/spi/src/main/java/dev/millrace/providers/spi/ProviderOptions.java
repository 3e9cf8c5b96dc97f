package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a session tells a provider: an immutable snapshot.
 *
 * @param threads how many threads one run may use
 * @param values the provider's own options: those of the session, and of its {@linkplain ProviderDevice#options() devices}
 *     where the session says nothing
 */
public record ProviderOptions(int threads, Map<String, String> values) {
    public ProviderOptions {
        values = Map.copyOf(values);
    }

    /** Refuses options that the provider does not know, naming those that it does. */
    public void allowOnly(String provider, Set<String> known) {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw EngineException.invalidArgument("provider '" + provider + "' has no option '" + key + "'; it has "
                        + (known.isEmpty() ? "none" : new TreeSet<>(known)));
            }
        }
    }
}
