package dev.millrace.cli.operators;

import dev.millrace.graph.tensor.ElementType;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Rows of the table of operators as JSON. */
public final class OperatorJson {
    private static final JsonFactory FACTORY = JsonFactory.builder().build();

    private OperatorJson() {}

    /** One object on a line. */
    public static String line(OperatorRow row) {
        var text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            String domain = row.op().domain();
            json.writeStringProperty("domain", domain.isEmpty() ? "ai.onnx" : domain);
            json.writeStringProperty("operator", row.op().name());
            versions(json, row.versions());
            types(json, row.types());
            json.writeName("providers");
            json.writeStartObject();
            row.providers().forEach((name, taken) -> {
                json.writeName(name);
                json.writeStartObject();
                versions(json, taken.versions());
                types(json, taken.types());
                json.writeEndObject();
            });
            json.writeEndObject();
            json.writeBooleanProperty("composed", row.composed());
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void versions(JsonGenerator json, List<Integer> versions) {
        json.writeName("versions");
        json.writeStartArray();
        versions.forEach(json::writeNumber);
        json.writeEndArray();
    }

    private static void types(JsonGenerator json, Set<ElementType> types) {
        json.writeName("types");
        json.writeStartArray();
        types.forEach(type -> json.writeString(type.onnxName()));
        json.writeEndArray();
    }
}
