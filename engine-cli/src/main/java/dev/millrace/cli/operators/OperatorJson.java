package dev.millrace.cli.operators;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.inspect.JsonText;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JsonGenerator;

/** Rows of the table of operators as JSON. */
public final class OperatorJson {
    private OperatorJson() {}

    /** One object on a line. */
    public static String line(OperatorRow row) {
        return JsonText.object(json -> {
            String domain = row.op().domain();
            json.writeStringProperty("domain", domain.isEmpty() ? "ai.onnx" : domain);
            json.writeStringProperty("operator", row.op().name());
            taken(json, row.versions(), row.types());
            json.writeObjectPropertyStart("providers");
            row.providers().forEach((name, taken) -> {
                json.writeObjectPropertyStart(name);
                taken(json, taken.versions(), taken.types());
                json.writeEndObject();
            });
            json.writeEndObject();
            json.writeBooleanProperty("composed", row.composed());
        });
    }

    private static void taken(JsonGenerator json, List<Integer> versions, Set<ElementType> types) {
        JsonText.array(json, "versions", versions, json::writeNumber);
        JsonText.array(json, "types", types, type -> json.writeString(type.onnxName()));
    }
}
