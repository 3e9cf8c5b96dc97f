package dev.millrace.text.template;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The one value that a template can change: attributes by their names. */
record Namespace(Map<String, @Nullable Object> attributes) {
    static Namespace of(Map<String, @Nullable Object> attributes) {
        return new Namespace(new LinkedHashMap<>(attributes));
    }
}
