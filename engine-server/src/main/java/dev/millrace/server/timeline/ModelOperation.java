package dev.millrace.server.timeline;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kinds of requests whose times are kept. */
public enum ModelOperation {
    INFER("infer", false),
    CHAT("chat", true),
    COMPLETION("text_completion", true),
    EMBEDDINGS("embeddings", true),
    RERANK("rerank", false);

    private static final Map<String, ModelOperation> BY_PATH = Map.ofEntries(
            Map.entry("v2/models/*/infer", INFER),
            Map.entry("v2/models/*/versions/*/infer", INFER),
            Map.entry("v2/models/*/generate", COMPLETION),
            Map.entry("v2/models/*/versions/*/generate", COMPLETION),
            Map.entry("v2/models/*/generate_stream", COMPLETION),
            Map.entry("v2/models/*/versions/*/generate_stream", COMPLETION),
            Map.entry("v1/completions", COMPLETION),
            Map.entry("v1/chat/completions", CHAT),
            Map.entry("v1/embeddings", EMBEDDINGS),
            Map.entry("v1/rerank", RERANK));

    private final String label;
    private final boolean generative;

    ModelOperation(String label, boolean generative) {
        this.label = label;
        this.generative = generative;
    }

    /** Returns the operation of a route by its path, in which variables are asterisks; null for routes of other kinds. */
    public static @Nullable ModelOperation of(String path) {
        return BY_PATH.get(path);
    }

    /** The name; for a generative operation that of OpenTelemetry's conventions. */
    public String label() {
        return label;
    }

    /** Whether OpenTelemetry's conventions for generative models name it. */
    public boolean isGenerative() {
        return generative;
    }
}
