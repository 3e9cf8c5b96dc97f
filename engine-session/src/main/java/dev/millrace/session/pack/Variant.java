package dev.millrace.session.pack;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One form of a model.
 *
 * @param targets for whom it was made; empty where it is for anybody
 * @param model the model's file
 * @param sessionOptions what a session of it sets, by the names of {@code SessionOptions.config}
 * @param providerOptions of the provider that runs it
 */
public record Variant(
        String name,
        List<Target> targets,
        Path model,
        Map<String, String> sessionOptions,
        Map<String, String> providerOptions) {

    /**
     * Whom a variant was made for.
     *
     * @param provider the provider's name
     * @param device the kind of device, or empty for any
     * @param compatibility what the provider said of itself then, or empty
     */
    public record Target(String provider, String device, String compatibility) {}

    public Variant {
        targets = List.copyOf(targets);
        sessionOptions = Map.copyOf(sessionOptions);
        providerOptions = Map.copyOf(providerOptions);
    }
}
