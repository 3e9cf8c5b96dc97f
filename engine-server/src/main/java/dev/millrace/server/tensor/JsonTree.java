package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonFactoryBuilder;
import tools.jackson.core.json.JsonReadFeature;

/** JSON as maps, lists, texts, numbers and truth values. A number is a Long, a BigInteger or a Double. */
public final class JsonTree {
    private static final int LONGEST_TEXT = Integer.MAX_VALUE / 2;
    private static final JsonFactory FACTORY = builder().build();
    private static final JsonFactory TENSORS =
            builder().enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS).build();

    private JsonTree() {}

    private static JsonFactoryBuilder builder() {
        return JsonFactory.builder()
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(LONGEST_TEXT)
                        .maxNestingDepth(200)
                        .build());
    }

    /**
     * Returns a parser of a document with tensors, whose text the server's limit on bodies bounds. It reads {@code NaN}, {@code Infinity} and
     * {@code -Infinity}, which JSON does not have.
     */
    public static JsonParser parser(InputStream text) {
        return TENSORS.createParser(ObjectReadContext.empty(), text);
    }

    public static JsonGenerator generator(OutputStream target) {
        return FACTORY.createGenerator(ObjectWriteContext.empty(), target, JsonEncoding.UTF8);
    }

    /** Returns a failure for a document that is no JSON. */
    public static EngineException refused(JacksonException e) {
        String message = String.valueOf(e.getOriginalMessage());
        int source = message.indexOf("[Source");
        return new EngineException(
                Status.INVALID_ARGUMENT,
                "the body is no JSON: "
                        + (source < 0 ? message : message.substring(0, source).strip()),
                e);
    }

    /** Reads the document, which is an object. */
    public static Map<String, @Nullable Object> readObject(byte[] text) {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw EngineException.invalidArgument("the body is no JSON object");
            }
            return object(parser);
        } catch (JacksonException e) {
            throw refused(e);
        }
    }

    /** Reads the object at which the parser stands. */
    public static Map<String, @Nullable Object> object(JsonParser parser) {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            throw EngineException.invalidArgument("'" + parser.currentName() + "' is no object");
        }
        var object = new LinkedHashMap<String, @Nullable Object>();
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String key = parser.currentName();
            parser.nextToken();
            object.put(key, value(parser));
        }
        return object;
    }

    /** Reads the value at which the parser stands. */
    public static @Nullable Object value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                var list = new ArrayList<@Nullable Object>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_STRING -> parser.getString();
            case VALUE_NUMBER_INT ->
                parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? parser.getBigIntegerValue()
                        : (Object) parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> Boolean.TRUE;
            case VALUE_FALSE -> Boolean.FALSE;
            case null, default -> null;
        };
    }

    /** Returns the text of a tree. */
    public static byte[] bytes(@Nullable Object tree) {
        var bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = generator(bytes)) {
            write(json, tree);
        }
        return bytes.toByteArray();
    }

    /** Writes a tree. */
    public static void write(JsonGenerator json, @Nullable Object tree) {
        switch (tree) {
            case null -> json.writeNull();
            case Map<?, ?> map -> {
                json.writeStartObject();
                map.forEach((key, value) -> {
                    json.writeName(String.valueOf(key));
                    write(json, value);
                });
                json.writeEndObject();
            }
            case Collection<?> list -> {
                json.writeStartArray();
                list.forEach(each -> write(json, each));
                json.writeEndArray();
            }
            case Boolean truth -> json.writeBoolean(truth);
            case Integer number -> json.writeNumber(number);
            case Long number -> json.writeNumber(number);
            case Float number -> json.writeNumber(number);
            case Double number -> json.writeNumber(number);
            case BigInteger number -> json.writeNumber(number);
            default -> json.writeString(tree.toString());
        }
    }
}
