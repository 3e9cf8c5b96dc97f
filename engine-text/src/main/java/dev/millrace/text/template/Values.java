package dev.millrace.text.template;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of templates: null, Boolean, Long, Double, String, List, Map, {@link Undefined}, {@link Namespace} and
 * {@link TemplateFunction}. No other object gets in, and nothing of an object is reached but what the tables name.
 */
public final class Values {
    private static final int DEEPEST = 100;
    private static final int MOST = 1 << 22;

    private Values() {}

    /** Returns an unmodifiable copy of a value in the types of templates; other types are refused. */
    public static @Nullable Object copyOf(@Nullable Object value, String name) {
        return new Copy(name).of(value, 0);
    }

    /** Returns an unmodifiable copy of a map. */
    public static Map<String, @Nullable Object> copyOfMap(Map<String, ? extends @Nullable Object> map, String name) {
        return new Copy(name).map(map, 0);
    }

    /** Returns an unmodifiable copy of a list of maps. */
    public static List<Map<String, @Nullable Object>> copyOfMaps(
            List<? extends Map<String, ? extends @Nullable Object>> maps, String name) {
        var copy = new Copy(name);
        var all = new ArrayList<Map<String, @Nullable Object>>();
        for (Map<String, ? extends @Nullable Object> map : maps) {
            if (map == null) {
                throw EngineException.invalidArgument("'" + name + "' has an element that is null");
            }
            all.add(copy.map(map, 1));
        }
        return Collections.unmodifiableList(all);
    }

    /** A copy that is being made. */
    private static final class Copy {
        private final String name;
        private int values;

        Copy(String name) {
            this.name = name;
        }

        @Nullable
        Object of(@Nullable Object value, int depth) {
            if (depth > DEEPEST || ++values > MOST) {
                throw EngineException.invalidArgument("'" + name + "' has more than " + MOST
                        + " values, or is nested more than " + DEEPEST + " deep");
            }
            return switch (value) {
                case null -> null;
                case String text -> text;
                case Boolean flag -> flag;
                case Long number -> number;
                case Double number -> number;
                case Integer number -> number.longValue();
                case Short number -> number.longValue();
                case Byte number -> number.longValue();
                case Float number -> number.doubleValue();
                case CharSequence text -> text.toString();
                case Map<?, ?> map -> map(map, depth);
                case List<?> list -> list(list, depth);
                default ->
                    throw EngineException.invalidArgument("'" + name + "' has a value of the type "
                            + value.getClass().getName()
                            + "; templates take strings, numbers, booleans, lists and maps");
            };
        }

        private Map<String, @Nullable Object> map(Map<?, ?> map, int depth) {
            var copy = new LinkedHashMap<String, @Nullable Object>();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                if (!(entry.getKey() instanceof String key)) {
                    throw EngineException.invalidArgument("'" + name + "' has a key that is no string");
                }
                copy.put(key, of(entry.getValue(), depth + 1));
            }
            return Collections.unmodifiableMap(copy);
        }

        private List<@Nullable Object> list(List<?> list, int depth) {
            var copy = new ArrayList<@Nullable Object>();
            for (Object element : list) {
                copy.add(of(element, depth + 1));
            }
            return Collections.unmodifiableList(copy);
        }
    }

    static boolean isTrue(@Nullable Object value) {
        return switch (value) {
            case null -> false;
            case Undefined _ -> false;
            case Boolean flag -> flag;
            case Long number -> number != 0;
            case Double number -> number != 0;
            case String text -> !text.isEmpty();
            case List<?> list -> !list.isEmpty();
            case Map<?, ?> map -> !map.isEmpty();
            default -> true;
        };
    }

    /** The kind of a value, as messages name it. */
    static String kind(@Nullable Object value) {
        return switch (value) {
            case null -> "none";
            case Undefined undefined -> "undefined (" + undefined.what() + ")";
            case Boolean _ -> "a boolean";
            case Long _ -> "an integer";
            case Double _ -> "a float";
            case String _ -> "a string";
            case Tuple _ -> "a tuple";
            case List<?> _ -> "a list";
            case Map<?, ?> _ -> "a dict";
            case Namespace _ -> "a namespace";
            default -> "a function";
        };
    }

    /** Returns a value that can be the key of a dict. */
    static @Nullable Object key(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case String _, Long _, Double _, Boolean _ -> value;
            default -> throw new Failure(kind(value) + " cannot be a key of a dict");
        };
    }
}
