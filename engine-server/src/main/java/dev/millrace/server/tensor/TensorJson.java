package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** The JSON form of tensors: lists of elements, flat or nested in requests, flat in answers. */
public final class TensorJson {
    private static final int DEEPEST = 64;

    private TensorJson() {}

    /** Reads the list at which the parser stands. */
    public static FlatValues read(JsonParser parser) {
        var values = new FlatValues();
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw EngineException.invalidArgument("data is no list");
        }
        for (int depth = 1; depth > 0; ) {
            switch (parser.nextToken()) {
                case START_ARRAY -> depth++;
                case END_ARRAY -> depth--;
                case VALUE_NUMBER_INT -> addInteger(parser, values);
                case VALUE_NUMBER_FLOAT -> values.add(parser.getDoubleValue());
                case VALUE_TRUE -> values.add(true);
                case VALUE_FALSE -> values.add(false);
                case VALUE_STRING -> values.add(parser.getString());
                case null, default ->
                    throw EngineException.invalidArgument("data has something else than numbers, texts, true or false");
            }
            if (depth > DEEPEST) {
                throw EngineException.invalidArgument("data is nested more than " + DEEPEST + " deep");
            }
        }
        return values;
    }

    /** Adds an integer; one of more than 64 bits is a real number. */
    private static void addInteger(JsonParser parser, FlatValues values) {
        if (parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            values.add(parser.getLongValue());
            return;
        }
        var big = parser.getBigIntegerValue();
        if (big.signum() > 0 && big.bitLength() <= Long.SIZE) {
            values.addUnsigned(big.longValue());
        } else {
            values.add(big.doubleValue());
        }
    }

    /** Writes the elements as one flat list. A number that JSON does not have, such as NaN, is null. */
    public static void write(JsonGenerator json, Tensor tensor) {
        json.writeStartArray();
        writeElements(json, tensor);
        json.writeEndArray();
    }

    /** Writes the only element, or else a flat list. */
    public static void writeValue(JsonGenerator json, Tensor tensor) {
        if (tensor.elements() == 1) {
            writeElements(json, tensor);
        } else {
            write(json, tensor);
        }
    }

    private static void writeElements(JsonGenerator json, Tensor tensor) {
        if (tensor.type() == ElementType.STRING) {
            for (String text : tensor.strings()) {
                json.writeString(text);
            }
        } else {
            Tensor held = tensor.retain();
            try {
                writeNumbers(json, tensor.type(), held.segment(), tensor.elements());
            } finally {
                tensor.release();
            }
        }
    }

    private static void writeNumbers(JsonGenerator json, ElementType type, MemorySegment data, long count) {
        for (long i = 0; i < count; i++) {
            switch (type) {
                case BOOL -> json.writeBoolean(Elements.getLong(type, data, i) != 0);
                case UINT64 -> json.writeNumber(Long.toUnsignedString(Elements.getLong(type, data, i)));
                case DOUBLE -> writeReal(json, Elements.getDouble(type, data, i));
                default -> {
                    if (type.isFloating()) {
                        writeReal(json, (float) Elements.getDouble(type, data, i));
                    } else {
                        json.writeNumber(Elements.getLong(type, data, i));
                    }
                }
            }
        }
    }

    private static void writeReal(JsonGenerator json, double value) {
        if (Double.isFinite(value)) {
            json.writeNumber(value);
        } else {
            json.writeNull();
        }
    }

    private static void writeReal(JsonGenerator json, float value) {
        if (Float.isFinite(value)) {
            json.writeNumber(value);
        } else {
            json.writeNull();
        }
    }
}
