package dev.millrace.session.modelpackage;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One variant of a component of a model package.
 *
 * @param targets the targets that it was made for; empty if it runs anywhere
 * @param model the model's file
 * @param sessionOptions the options that a session of it sets, by the names of {@code SessionOptions.config}
 * @param providerOptions the options of the provider that runs it
 */
public record Variant(
        String name,
        List<Target> targets,
        Path model,
        Map<String, String> sessionOptions,
        Map<String, String> providerOptions) {

    /**
     * A target that a variant was made for.
     *
     * @param provider the provider's name
     * @param device the kind of device, or empty for any
     * @param compatibility the compatibility text that the provider wrote then, or empty
     */
    public record Target(String provider, String device, String compatibility) {}

    public Variant {
        targets = List.copyOf(targets);
        sessionOptions = Map.copyOf(sessionOptions);
        providerOptions = Map.copyOf(providerOptions);
    }
}
