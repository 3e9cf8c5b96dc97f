package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Csv;
import dev.millrace.bench.compare.Numbers;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** Rows for programs. */
final class SuiteFiles {
    private SuiteFiles() {}

    /** An array with an object per row. */
    static String json(List<SuiteRow> rows) {
        var text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartArray();
            for (SuiteRow row : rows) {
                json.writeStartObject();
                json.writeStringProperty("group", row.group().label());
                json.writeStringProperty("model", row.name());
                json.writeNumberProperty("threads", row.threads());
                number(json, "ours_us", row.ourMicros());
                number(json, "peer_us", row.peerMicros());
                number(json, "ratio", row.ratio());
                number(json, "percent_of_peak", row.percentOfPeak());
                number(json, "difference", row.difference());
                number(json, "peer_difference", row.peerDifference());
                json.writeStringProperty("note", row.note());
                json.writeEndObject();
            }
            json.writeEndArray();
        }
        return text + "\n";
    }

    private static void number(JsonGenerator json, String name, @Nullable Double value) {
        if (value == null) {
            json.writeNullProperty(name);
        } else if (Double.isFinite(value)) {
            json.writeNumberProperty(name, value);
        } else {
            json.writeStringProperty(name, value.toString());
        }
    }

    static String csv(List<SuiteRow> rows) {
        var text = new StringBuilder(
                "group,model,threads,ours_us,peer_us,ratio,percent_of_peak,difference,peer_difference,note\n");
        for (SuiteRow row : rows) {
            text.append(String.join(
                            ",",
                            row.group().label(),
                            Csv.quoted(row.name()),
                            Integer.toString(row.threads()),
                            Numbers.format("%.3f", row.ourMicros()),
                            Numbers.format("%.3f", row.peerMicros()),
                            Numbers.format("%.4f", row.ratio()),
                            Numbers.format("%.1f", row.percentOfPeak()),
                            Numbers.format("%.3e", row.difference()),
                            Numbers.format("%.3e", row.peerDifference()),
                            Csv.quoted(row.note())))
                    .append('\n');
        }
        return text.toString();
    }
}
