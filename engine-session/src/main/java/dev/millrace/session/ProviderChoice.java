package dev.millrace.session;

import java.util.Map;

/** A provider that a session uses, and what it is told. */
public record ProviderChoice(String name, Map<String, String> options) {
    public ProviderChoice {
        options = Map.copyOf(options);
    }

    public static ProviderChoice of(String name) {
        return new ProviderChoice(name, Map.of());
    }
}
