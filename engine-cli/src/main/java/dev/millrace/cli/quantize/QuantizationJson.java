package dev.millrace.cli.quantize;

import dev.millrace.graph.quantize.QuantizeReport;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.inspect.JsonText;
import java.nio.file.Path;
import tools.jackson.core.JsonGenerator;

/** Writes the report on a quantisation as a JSON object. */
public final class QuantizationJson {
    private QuantizationJson() {}

    public static String of(Path output, QuantizeReport report, ModelComparison comparison) {
        return JsonText.object(json -> {
            json.writeStringProperty("output", output.toString());
            json.writeNumberProperty("bytes_before", report.bytesBefore());
            json.writeNumberProperty("bytes_after", report.bytesAfter());
            JsonText.objects(json, "weights", report.weights(), weight -> {
                json.writeStringProperty("name", weight.name());
                json.writeStringProperty("operator", weight.operator());
                shape(json, weight.shape());
                json.writeStringProperty("type", weight.type().toString());
                json.writeNumberProperty("bits", weight.bits());
                json.writeNumberProperty("bytes_before", weight.bytesBefore());
                json.writeNumberProperty("bytes_after", weight.bytesAfter());
                JsonText.number(json, "relative_rms", weight.error());
                json.writeBooleanProperty("source_stays", weight.sourceStays());
            });
            JsonText.objects(json, "kept", report.kept(), kept -> {
                json.writeStringProperty("name", kept.name());
                shape(json, kept.shape());
                json.writeStringProperty("type", kept.type().toString());
                json.writeNumberProperty("bytes", kept.bytes());
                json.writeStringProperty("reason", kept.reason());
            });
            json.writeNumberProperty("samples", comparison.samples());
            JsonText.objects(json, "outputs", comparison.errors(), error -> {
                json.writeStringProperty("name", error.name());
                JsonText.number(json, "max_abs", error.largest());
                JsonText.number(json, "relative_rms", error.relative());
                JsonText.number(json, "cosine", error.cosine());
                if (error.rows() > 0) {
                    json.writeNumberProperty("rows", error.rows());
                    json.writeNumberProperty("equal_arg_max", error.equalRows());
                }
            });
        });
    }

    private static void shape(JsonGenerator json, Shape shape) {
        json.writeArrayPropertyStart("shape");
        for (long extent : shape.toArray()) {
            json.writeNumber(extent);
        }
        json.writeEndArray();
    }
}
