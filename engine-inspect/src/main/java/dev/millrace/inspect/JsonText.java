package dev.millrace.inspect;

import java.io.StringWriter;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** JSON as text, and the parts of it that recur. */
public final class JsonText {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    private JsonText() {}

    /** A value, which {@code content} writes. */
    public static String of(Consumer<JsonGenerator> content) {
        var text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            content.accept(json);
        }
        return text.toString();
    }

    /** An object, whose members {@code content} writes. */
    public static String object(Consumer<JsonGenerator> content) {
        return of(json -> {
            json.writeStartObject();
            content.accept(json);
            json.writeEndObject();
        });
    }

    /** A property that is an array with an object for each item, whose members {@code content} writes. */
    public static <T> void objects(JsonGenerator json, String name, Iterable<T> items, Consumer<T> content) {
        json.writeArrayPropertyStart(name);
        for (T item : items) {
            json.writeStartObject();
            content.accept(item);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    /** A property that is an array of what {@code content} writes for each item. */
    public static <T extends @Nullable Object> void array(
            JsonGenerator json, String name, Iterable<T> items, Consumer<T> content) {
        json.writeArrayPropertyStart(name);
        items.forEach(content);
        json.writeEndArray();
    }

    /** A property that is a number or null, or a text where the number is one that JSON lacks. */
    public static void number(JsonGenerator json, String name, @Nullable Double value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else if (Double.isFinite(value)) {
            json.writeNumberProperty(name, value);
        } else {
            json.writeStringProperty(name, value.toString());
        }
    }
}
