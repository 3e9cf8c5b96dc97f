package dev.millrace.text.template;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An operation with a name: a filter, a test or a method.
 *
 * @param parameters the names of its arguments; null if it takes any
 */
record Builtin(String name, @Nullable List<String> parameters, Body body) {
    /** The work of an operation on a value. */
    interface Body {
        @Nullable
        Object apply(@Nullable Object value, Arguments arguments, Steps steps);
    }

    /** An operation that fails when it is applied. */
    static Builtin failing(String name, String what) {
        return new Builtin(name, null, (_, _, _) -> {
            throw new Failure(what);
        });
    }

    @Nullable
    Object apply(@Nullable Object value, Arguments arguments, Steps steps) {
        return body.apply(value, parameters == null ? arguments : arguments.bound(name, parameters), steps);
    }

    /** A table of operations by their names. */
    static final class Table {
        private final Map<String, Builtin> all = new LinkedHashMap<>();

        /** Adds an operation whose arguments have names, separated by spaces. */
        Table add(String name, String parameters, Body body) {
            List<String> names = parameters.isEmpty() ? List.of() : List.of(parameters.split(" "));
            all.put(name, new Builtin(name, names, body));
            return this;
        }

        /** Adds an operation that takes any arguments. */
        Table open(String name, Body body) {
            all.put(name, new Builtin(name, null, body));
            return this;
        }

        /** Adds another name of an operation. */
        Table alias(String name, String known) {
            Builtin builtin = all.get(known);
            if (builtin == null) {
                throw new IllegalArgumentException(known);
            }
            all.put(name, builtin);
            return this;
        }

        Table addAll(Table other) {
            all.putAll(other.all);
            return this;
        }

        @Nullable
        Builtin get(String name) {
            return all.get(name);
        }
    }
}
