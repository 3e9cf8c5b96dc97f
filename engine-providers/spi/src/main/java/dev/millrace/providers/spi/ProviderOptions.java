package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The settings that a session passes to a provider: an immutable snapshot.
 *
 * @param threads the number of threads that one run may use
 * @param values the provider's own options: those of the session, and of its {@linkplain ProviderDevice#options()
 *     devices} where the session says nothing
 */
public record ProviderOptions(int threads, Map<String, String> values) {
    public ProviderOptions {
        values = Map.copyOf(values);
    }

    /** Throws where an option is not among the known ones, and names those. */
    public void allowOnly(String provider, Set<String> known) {
        for (String key : values.keySet()) {
            if (!known.contains(key)) {
                throw EngineException.invalidArgument("provider '" + provider + "' has no option '" + key + "'; it has "
                        + (known.isEmpty() ? "none" : new TreeSet<>(known)));
            }
        }
    }
}
