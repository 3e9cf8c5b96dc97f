package dev.millrace.session;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.ir.ValueType;
import org.jspecify.annotations.Nullable;

/**
 * An input or output of a session.
 *
 * @param type what the model declares or the engine inferred, or null where nothing is known
 * @param optional whether an input has a default and may be left out
 */
public record ValueInfo(String name, @Nullable ValueType type, boolean optional) {
    @Override
    public String toString() {
        return PlainText.line(name + ": " + (type == null ? "?" : type) + (optional ? " (optional)" : ""));
    }
}
