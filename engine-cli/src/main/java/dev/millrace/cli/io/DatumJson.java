package dev.millrace.cli.io;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** Data as JSON: a tensor is an object of type, shape and flat data; numbers that JSON lacks are strings. */
public final class DatumJson {
    private DatumJson() {}

    public static void write(JsonGenerator json, Datum datum) {
        switch (datum) {
            case Tensor tensor -> write(json, tensor);
            case TensorSequence sequence -> {
                json.writeStartArray();
                sequence.elements().forEach(element -> write(json, element));
                json.writeEndArray();
            }
            case OptionalDatum optional -> {
                if (optional.value() == null) {
                    json.writeNull();
                } else {
                    write(json, optional.value());
                }
            }
            case MapDatum map -> {
                json.writeStartObject();
                for (Map.Entry<Object, Datum> entry : map.entries().entrySet()) {
                    json.writeName(entry.getKey().toString());
                    write(json, entry.getValue());
                }
                json.writeEndObject();
            }
        }
    }

    private static void write(JsonGenerator json, Tensor tensor) {
        json.writeStartObject();
        json.writeStringProperty("type", tensor.type().onnxName());
        json.writeName("shape");
        json.writeStartArray();
        for (long dim : tensor.shape().toArray()) {
            json.writeNumber(dim);
        }
        json.writeEndArray();
        json.writeName("data");
        json.writeStartArray();
        for (long i = 0; i < tensor.elements(); i++) {
            element(json, tensor, i);
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void element(JsonGenerator json, Tensor tensor, long index) {
        ElementType type = tensor.type();
        switch (type.kind()) {
            case TEXT -> json.writeString(tensor.strings()[(int) index]);
            case BOOLEAN -> json.writeBoolean(Elements.getLong(type, tensor.segment(), index) != 0);
            case SIGNED -> json.writeNumber(Elements.getLong(type, tensor.segment(), index));
            case FLOATING -> {
                double value = Elements.getDouble(type, tensor.segment(), index);
                if (Double.isFinite(value)) {
                    json.writeRawValue(DatumText.element(tensor, index));
                } else {
                    json.writeString(Double.toString(value));
                }
            }
            case UNSIGNED -> json.writeRawValue(DatumText.element(tensor, index));
            case COMPLEX -> json.writeString(DatumText.element(tensor, index));
        }
    }
}
