package dev.millrace.text.json;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.json.JsonFormatException;
import dev.millrace.session.json.JsonReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A value of a JSON tree with its path, which error messages name. */
public final class Json {
    /** The largest size of a file, and so of a text in it. */
    public static final int MOST_BYTES = 1 << 28;

    /**
     * The largest number of values, of some 50 bytes each. The largest vocabularies and their merges are two million
     * values.
     */
    private static final int MOST_VALUES = 1 << 23;

    /** The deepest nesting. */
    private static final int DEEPEST = 500;

    private static final JsonReader.Limits LIMITS = new JsonReader.Limits(DEEPEST, MOST_VALUES, false);

    private final @Nullable Object value;
    private final @Nullable Json parent;
    /** The name of the document, of a property, or the index of an element. */
    private final Object step;

    private Json(@Nullable Object value, @Nullable Json parent, Object step) {
        this.value = value;
        this.parent = parent;
        this.step = step;
    }

    /** Returns the path of the value, which begins with the name of the document. */
    public String place() {
        if (parent == null) {
            return step.toString();
        }
        return parent.place() + (step instanceof Integer ? "[" + step + "]" : "." + step);
    }

    /** @param name the name of the document in error messages */
    public static Json parse(byte[] text, String name) {
        if (text.length == 0) {
            throw EngineException.invalidArgument(name + " is empty");
        }
        if (text.length > MOST_BYTES) {
            throw EngineException.invalidArgument(
                    name + " has " + text.length + " bytes; the largest that is read has " + MOST_BYTES);
        }
        try {
            return new Json(JsonReader.read(text, LIMITS), null, name);
        } catch (JsonFormatException e) {
            String reason = e.endsEarly()
                    ? "it ends early, after " + text.length + " bytes; was its download interrupted?"
                    : e.getMessage();
            throw new EngineException(Status.INVALID_ARGUMENT, name + " is no JSON: " + reason, e);
        }
    }

    /** Returns a document without content, in which nothing is found. */
    public static Json none(String name) {
        return new Json(null, null, name);
    }

    public boolean isNull() {
        return value == null;
    }

    public boolean isText() {
        return value instanceof String;
    }

    public boolean isObject() {
        return value instanceof Map;
    }

    public boolean isFlag() {
        return value instanceof Boolean;
    }

    public boolean isList() {
        return value instanceof List;
    }

    public boolean isNumber() {
        return value instanceof Double;
    }

    /** Returns a property, whose value is null where there is none. */
    public Json get(String property) {
        return new Json(value instanceof Map<?, ?> map ? map.get(property) : null, this, property);
    }

    /** The properties by their names. */
    public Map<String, Json> properties() {
        var all = new LinkedHashMap<String, Json>();
        ((Map<?, ?>) require(Map.class, "an object"))
                .forEach((key, inner) -> all.put((String) key, new Json(inner, this, key)));
        return all;
    }

    /** Returns the ids of tokens by their texts, in the order of the document. */
    public Map<String, Integer> ids() {
        Map<?, ?> members = require(Map.class, "an object");
        var ids = LinkedHashMap.<String, Integer>newLinkedHashMap(members.size());
        for (Map.Entry<?, ?> member : members.entrySet()) {
            String text = (String) member.getKey();
            ids.put(text, new Json(member.getValue(), this, text).id());
        }
        return ids;
    }

    /** Returns the elements of a list; empty where the value is null. */
    public List<Json> elements() {
        var all = new ArrayList<Json>();
        if (value != null) {
            for (Object element : (List<?>) require(List.class, "a list")) {
                all.add(new Json(element, this, all.size()));
            }
        }
        return all;
    }

    public String text() {
        return require(String.class, "a text");
    }

    public String text(String otherwise) {
        return value == null ? otherwise : text();
    }

    public double number() {
        return require(Double.class, "a number");
    }

    public double finite() {
        double number = number();
        if (!Double.isFinite(number)) {
            throw refused(number + " stands where a finite number belongs");
        }
        return number;
    }

    public int integer() {
        double number = number();
        if (number != (int) number) {
            throw refused(written(number) + " stands where a whole number of 32 bits belongs");
        }
        return (int) number;
    }

    public int integer(int otherwise) {
        return value == null ? otherwise : integer();
    }

    /** The value as the id of a token. */
    public int id() {
        double number = number();
        if (number < 0 || number != (int) number) {
            throw refused(written(number) + " is no number of a token; these are from 0 to " + Integer.MAX_VALUE);
        }
        return (int) number;
    }

    /** The value as a count, limited to {@link Integer#MAX_VALUE}. */
    public int count(int otherwise) {
        if (value == null) {
            return otherwise;
        }
        double number = number();
        if (number < 0 || number != Math.rint(number)) {
            throw refused(written(number) + " stands where a count belongs");
        }
        return (int) number;
    }

    private static String written(double number) {
        return number == (long) number ? String.valueOf((long) number) : String.valueOf(number);
    }

    public boolean flag(boolean otherwise) {
        return value == null ? otherwise : require(Boolean.class, "true or false");
    }

    /** The name of the kind of component that this object describes. */
    public String type() {
        return get("type").text();
    }

    /** Returns a failure (NOT_IMPLEMENTED) for a component of an unknown type. */
    public EngineException unknown(String kind) {
        return EngineException.notImplemented(
                place() + ": there is no " + kind + " '" + get("type").text("?") + "' here");
    }

    /** Returns the failure with the path of this value in front of its message. */
    public EngineException located(EngineException failure) {
        return failure.at(place());
    }

    public EngineException refused(String why) {
        return EngineException.invalidArgument(place() + ": " + why);
    }

    /** Describes the value for error messages. Trees are not printed, as they may have millions of values. */
    private String described() {
        return switch (value) {
            case null -> "nothing";
            case Map<?, ?> _ -> "an object";
            case List<?> _ -> "a list";
            default -> "'" + value + "'";
        };
    }

    private <T> T require(Class<T> type, String kind) {
        if (!type.isInstance(value)) {
            throw refused(described() + " stands where " + kind + " belongs");
        }
        return type.cast(value);
    }
}
