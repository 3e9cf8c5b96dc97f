package dev.millrace.graph.ir;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The documentation and metadata that a file holds for a node, a value or a tensor. They do not affect computation and
 * are kept so that the model can be written again.
 */
public record Remarks(DocString documentation, Map<String, String> metadata) {
    /** No remarks. */
    public static final Remarks NONE = new Remarks(DocString.NONE, Map.of());

    public Remarks {
        metadata = metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    public static Remarks of(DocString documentation, Map<String, String> metadata) {
        return documentation.isEmpty() && metadata.isEmpty() ? NONE : new Remarks(documentation, metadata);
    }

    public static Remarks of(Map<String, String> metadata) {
        return of(DocString.NONE, metadata);
    }

    public boolean isEmpty() {
        return documentation.isEmpty() && metadata.isEmpty();
    }

    /** Merges both; where they contradict, {@code later} wins. */
    public Remarks and(Remarks later) {
        if (isEmpty() || later.isEmpty()) {
            return isEmpty() ? later : this;
        }
        var both = new LinkedHashMap<>(metadata);
        both.putAll(later.metadata);
        return new Remarks(later.documentation.isEmpty() ? documentation : later.documentation, both);
    }
}
