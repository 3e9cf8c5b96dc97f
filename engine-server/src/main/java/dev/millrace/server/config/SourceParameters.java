package dev.millrace.server.config;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ModelConfig;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The parameters of a configuration that say where a model comes from. */
public final class SourceParameters {
    private static final String SOURCE = "source";
    private static final String FILE = "file";
    private static final String DIGEST = "sha256";

    /** The names of the parameters. */
    static final Set<String> NAMES = Set.of(SOURCE, FILE, DIGEST);

    private SourceParameters() {}

    /** Returns the name of the model that a configuration wants; null if the model lies in its folder. */
    public static @Nullable String of(ModelConfig config) {
        String source = value(config, SOURCE);
        if (source == null) {
            if (value(config, FILE) != null || value(config, DIGEST) != null) {
                throw EngineException.invalidArgument(
                        "the parameters " + FILE + " and " + DIGEST + " belong to the parameter " + SOURCE);
            }
            return null;
        }
        return text(source, value(config, FILE), value(config, DIGEST));
    }

    /** Returns a name as one text. */
    public static String text(String source, @Nullable String file, @Nullable String sha256) {
        return source + (file == null ? "" : "/" + file) + (sha256 == null ? "" : "#sha256=" + sha256);
    }

    private static @Nullable String value(ModelConfig config, String key) {
        var value = config.getParametersMap().get(key);
        return value == null || value.getStringValue().isEmpty() ? null : value.getStringValue();
    }
}
