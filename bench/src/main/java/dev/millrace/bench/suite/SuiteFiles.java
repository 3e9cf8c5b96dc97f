package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Csv;
import dev.millrace.bench.compare.Numbers;
import dev.millrace.inspect.JsonText;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** Rows for programs. */
final class SuiteFiles {
    private SuiteFiles() {}

    /** An array with an object per row. */
    static String json(List<SuiteRow> rows) {
        return JsonText.of(json -> {
                    json.writeStartArray();
                    for (SuiteRow row : rows) {
                        json.writeStartObject();
                        write(json, row);
                        json.writeEndObject();
                    }
                    json.writeEndArray();
                })
                + "\n";
    }

    private static void write(JsonGenerator json, SuiteRow row) {
        json.writeStringProperty("group", row.group().label());
        json.writeStringProperty("model", row.name());
        json.writeNumberProperty("threads", row.threads());
        JsonText.number(json, "ours_us", row.ourMicros());
        JsonText.number(json, "peer_us", row.referenceMicros());
        JsonText.number(json, "ratio", row.ratio());
        JsonText.number(json, "percent_of_peak", row.percentOfPeak());
        JsonText.number(json, "difference", row.difference());
        JsonText.number(json, "peer_difference", row.referenceDifference());
        json.writeStringProperty("note", row.note());
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
                            Numbers.format("%.3f", row.referenceMicros()),
                            Numbers.format("%.4f", row.ratio()),
                            Numbers.format("%.1f", row.percentOfPeak()),
                            Numbers.format("%.3e", row.difference()),
                            Numbers.format("%.3e", row.referenceDifference()),
                            Csv.quoted(row.note())))
                    .append('\n');
        }
        return text.toString();
    }
}
