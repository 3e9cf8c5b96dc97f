package dev.millrace.text.json;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** A value of a JSON tree with its place, which refusals name. */
public final class Json {
    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(1 << 28).build())
            .build();

    private final @Nullable Object value;
    private final String place;

    private Json(@Nullable Object value, String place) {
        this.value = value;
        this.place = place;
    }

    /** @param name what refusals call the document */
    public static Json parse(byte[] text, String name) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            return new Json(read(parser), name);
        } catch (JacksonException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, name + " is no JSON: " + e.getOriginalMessage(), e);
        }
    }

    private static @Nullable Object read(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                var object = new LinkedHashMap<String, @Nullable Object>();
                while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                    String key = parser.currentName();
                    parser.nextToken();
                    object.put(key, read(parser));
                }
                yield object;
            }
            case START_ARRAY -> {
                var list = new ArrayList<@Nullable Object>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(read(parser));
                }
                yield list;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            case null, default -> null;
        };
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

    /** A property, which is null where there is none. */
    public Json get(String property) {
        return new Json(value instanceof Map<?, ?> map ? map.get(property) : null, place + "." + property);
    }

    /** The properties by their names. */
    public Map<String, Json> properties() {
        var all = new LinkedHashMap<String, Json>();
        ((Map<?, ?>) require(Map.class, "an object"))
                .forEach((key, inner) -> all.put((String) key, new Json(inner, place + "." + key)));
        return all;
    }

    /** The elements of a list; none where there is no list. */
    public List<Json> elements() {
        var all = new ArrayList<Json>();
        if (value != null) {
            for (Object element : (List<?>) require(List.class, "a list")) {
                all.add(new Json(element, place + "[" + all.size() + "]"));
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

    public int integer() {
        return (int) number();
    }

    public int integer(int otherwise) {
        return value == null ? otherwise : integer();
    }

    public boolean flag(boolean otherwise) {
        return value == null ? otherwise : require(Boolean.class, "true or false");
    }

    /** The name of the kind of component that this object describes. */
    public String type() {
        return get("type").text();
    }

    /** Something that may be there and is nothing that is known here. */
    public EngineException unknown(String kind) {
        return EngineException.notImplemented(
                place + ": there is no " + kind + " '" + get("type").text("?") + "' here");
    }

    public EngineException refused(String why) {
        return EngineException.invalidArgument(place + ": " + why);
    }

    private <T> T require(Class<T> type, String kind) {
        if (!type.isInstance(value)) {
            throw refused((value == null ? "nothing" : "'" + value + "'") + " stands where " + kind + " belongs");
        }
        return type.cast(value);
    }
}
