package dev.millrace.bench.agree;

import dev.millrace.bench.compare.Csv;
import dev.millrace.bench.compare.Numbers;
import dev.millrace.inspect.JsonText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one model.
 *
 * @param file the file as the command names it
 * @param reason the reason on one line
 * @param worst the largest distance of two numbers, relative to the largest of their output; null if none was compared
 */
record Row(
        String file,
        Verdict verdict,
        String reason,
        @Nullable Double worst) {
    private static final String SEPARATOR = "\t";
    private static final int LONGEST = 400;

    Row {
        reason = reason.replaceAll("\\s+", " ").strip();
        reason = reason.length() > LONGEST ? reason.substring(0, LONGEST) + "…" : reason;
    }

    /** Returns the row without its file as one line, which processes exchange. */
    String toLine() {
        return String.join(SEPARATOR, verdict.toString(), worst == null ? "" : worst.toString(), reason);
    }

    static Row ofLine(String file, String line) {
        String[] fields = line.split(SEPARATOR, 3);
        Double worst = fields[1].isEmpty() ? null : Double.valueOf(fields[1]);
        return new Row(file, Verdict.of(fields[0]), fields[2], worst);
    }

    Row with(Verdict other, String otherReason) {
        return new Row(file, other, otherReason, worst);
    }

    static String csvHeading() {
        return "file,verdict,reason,worst";
    }

    String toCsv() {
        return String.join(
                ",", List.of(Csv.quoted(file), verdict.toString(), Csv.quoted(reason), Numbers.format("%.3g", worst)));
    }

    String toJson(@Nullable String known) {
        return JsonText.object(json -> {
            json.writeStringProperty("file", file);
            json.writeStringProperty("verdict", verdict.toString());
            json.writeStringProperty("reason", reason);
            JsonText.number(json, "worst", worst);
            if (known != null) {
                json.writeStringProperty("known", known);
            }
        });
    }

    String toText() {
        return "%-15s %s%s".formatted(verdict, file, reason.isEmpty() ? "" : ": " + reason);
    }
}
