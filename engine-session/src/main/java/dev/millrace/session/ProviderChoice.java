package dev.millrace.session;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** A provider that a session uses, and what it is told. */
public record ProviderChoice(String name, Map<String, String> options) {
    public ProviderChoice {
        // sorted, since a cache of what was compiled tells sessions apart by the text of this in every process
        options = Collections.unmodifiableMap(new TreeMap<>(Map.copyOf(options)));
    }

    public static ProviderChoice of(String name) {
        return new ProviderChoice(name, Map.of());
    }
}
