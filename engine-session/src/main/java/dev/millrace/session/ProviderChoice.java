package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.util.Failures;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A provider that a session uses, and what it is told. A null is refused (INVALID_ARGUMENT), also as a key or a value; which keys
 * there are, and what they may be, the provider says.
 */
public record ProviderChoice(String name, Map<String, String> options) {
    public ProviderChoice {
        Failures.requireArgument(name, "name");
        Failures.requireArgument(options, "options").forEach((key, value) -> {
            if (key == null || value == null) {
                throw EngineException.invalidArgument("option '" + key + "' of provider '" + name + "' is " + value
                        + "; an option has a key and a value, which may be empty");
            }
        });
        // sorted, since a cache of what was compiled tells sessions apart by the text of this in every process
        options = Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(options)));
    }

    public static ProviderChoice of(String name) {
        return new ProviderChoice(name, Map.of());
    }
}
