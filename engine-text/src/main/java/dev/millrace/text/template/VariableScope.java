package dev.millrace.text.template;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Variables, over those of an outer scope. */
final class VariableScope {
    private final @Nullable VariableScope outer;
    private final Map<String, @Nullable Object> variables = new HashMap<>();

    VariableScope(@Nullable VariableScope outer) {
        this.outer = outer;
    }

    void set(String name, @Nullable Object value) {
        variables.put(name, value);
    }

    void setAll(Map<String, ? extends @Nullable Object> values) {
        variables.putAll(values);
    }

    @Nullable
    Object get(String name) {
        for (VariableScope scope = this; scope != null; scope = scope.outer) {
            if (scope.variables.containsKey(name)) {
                return scope.variables.get(name);
            }
        }
        return Undefined.variable(name);
    }
}
