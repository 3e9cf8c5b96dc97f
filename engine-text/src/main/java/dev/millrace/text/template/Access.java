package dev.millrace.text.template;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The attributes and items of values. Methods come from tables; nothing of a Java object is reached. */
final class Access {
    private Access() {}

    /** Returns {@code value.name}: a method, or else the value of a key. */
    static @Nullable Object attribute(@Nullable Object value, String name) {
        return switch (value) {
            case Undefined undefined -> throw undefined.failure();
            case Map<?, ?> map -> {
                Builtin method = DictMethods.TABLE.get(name);
                yield method != null ? bound(method, map) : map.containsKey(name) ? map.get(name) : none(map, name);
            }
            case String text -> method(StringMethods.TABLE.get(name), text, name);
            case Tuple tuple when tuple.indexOf(name) >= 0 -> tuple.get(tuple.indexOf(name));
            case List<?> list -> method(ListMethods.TABLE.get(name), list, name);
            case Namespace namespace
            when namespace.attributes().containsKey(name) ->
                namespace.attributes().get(name);
            case LoopState loop -> {
                Object found = loop.attribute(name);
                yield found instanceof Undefined ? none(loop, name) : found;
            }
            case null, default -> none(value, name);
        };
    }

    private static Object method(@Nullable Builtin method, Object value, String name) {
        return method == null ? none(value, name) : bound(method, value);
    }

    private static Object none(@Nullable Object value, String name) {
        if (name.startsWith("__")) {
            throw new Failure("the attribute '" + name + "' is closed to templates");
        }
        return new Undefined(Values.kind(value) + " has no attribute '" + name + "'");
    }

    private static TemplateFunction bound(Builtin method, Object value) {
        return (arguments, steps) -> method.apply(value, arguments, steps);
    }

    /** Returns {@code value[key]}: the value of a key, an element, or else an attribute. */
    static @Nullable Object item(@Nullable Object value, @Nullable Object key) {
        if (value instanceof Undefined undefined) {
            throw undefined.failure();
        }
        if (value instanceof Map<?, ?> map && map.containsKey(Values.key(key))) {
            return map.get(key);
        }
        if (TemplateNumbers.exact(key) instanceof Long index && (value instanceof List || value instanceof String)) {
            return Sequences.at(value, index, new Undefined(Values.kind(value) + " has no element " + index));
        }
        return key instanceof String name
                ? attribute(value, name)
                : new Undefined(Values.kind(value) + " has no such element");
    }

    /** Returns what a path of attributes and indices leads to, such as {@code function.name}. */
    static @Nullable Object path(@Nullable Object value, @Nullable Object path) {
        return path(value, path, null);
    }

    /** Returns what a path leads to, with another value, unless it is null, in place of what is missing on the way. */
    static @Nullable Object path(@Nullable Object value, @Nullable Object path, @Nullable Object otherwise) {
        if (!(path instanceof String names)) {
            return or(item(value, path), otherwise);
        }
        Object found = value;
        for (String name : names.split("\\.", -1)) {
            boolean index =
                    !name.isEmpty() && name.length() < 10 && name.chars().allMatch(Chars::isDigit);
            found = or(item(found, index ? (Object) Long.valueOf(name) : name), otherwise);
        }
        return found;
    }

    private static @Nullable Object or(@Nullable Object found, @Nullable Object otherwise) {
        return found instanceof Undefined && otherwise != null ? otherwise : found;
    }
}
