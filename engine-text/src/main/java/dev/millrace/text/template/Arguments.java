package dev.millrace.text.template;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The evaluated arguments of a call. */
record Arguments(List<@Nullable Object> positional, Map<String, @Nullable Object> named) {
    static final Arguments NONE = new Arguments(List.of(), Map.of());

    /** Returns these arguments with a name for each, or says which of them the operation does not take. */
    Arguments bound(String operation, List<String> parameters) {
        if (positional.size() > parameters.size()) {
            throw new Failure("'" + operation + "' takes "
                    + (parameters.isEmpty() ? "no arguments" : "no more than " + parameters));
        }
        var all = new LinkedHashMap<String, @Nullable Object>();
        for (int i = 0; i < positional.size(); i++) {
            all.put(parameters.get(i), positional.get(i));
        }
        for (Map.Entry<String, @Nullable Object> each : named.entrySet()) {
            if (!parameters.contains(each.getKey()) || all.containsKey(each.getKey())) {
                throw new Failure("'" + operation + "' takes no argument '" + each.getKey() + "'"
                        + (all.containsKey(each.getKey()) ? " twice" : ""));
            }
            all.put(each.getKey(), each.getValue());
        }
        return new Arguments(positional, all);
    }

    boolean has(String name) {
        return named.containsKey(name);
    }

    /** Returns an argument that has to be there. */
    @Nullable
    Object get(String name) {
        if (!has(name)) {
            throw new Failure("the argument '" + name + "' is missing");
        }
        return named.get(name);
    }

    @Nullable
    Object get(String name, @Nullable Object otherwise) {
        return has(name) ? named.get(name) : otherwise;
    }

    String text(String name) {
        return text(name, get(name));
    }

    String text(String name, String otherwise) {
        return text(name, get(name, otherwise));
    }

    private static String text(String name, @Nullable Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw new Failure("the argument '" + name + "' is " + Values.kind(value) + " and no string");
    }

    /** Returns a text, or null if the argument is missing or none. */
    @Nullable
    String textOrNull(String name) {
        Object value = get(name, null);
        return value == null ? null : text(name, value);
    }

    long integer(String name) {
        return integer(name, get(name));
    }

    long integer(String name, long otherwise) {
        return integer(name, get(name, otherwise));
    }

    private static long integer(String name, @Nullable Object value) {
        if (TemplateNumbers.exact(value) instanceof Long number) {
            return number;
        }
        throw new Failure("the argument '" + name + "' is " + Values.kind(value) + " and no integer");
    }

    boolean flag(String name, boolean otherwise) {
        return Values.isTrue(get(name, otherwise));
    }

    /** Returns these positional arguments without the first ones. */
    Arguments from(int first) {
        return new Arguments(positional.subList(Math.min(first, positional.size()), positional.size()), named);
    }
}
