package dev.millrace.bench.sweep;

import dev.millrace.bench.compare.Csv;
import dev.millrace.bench.compare.Numbers;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of one case.
 *
 * @param shapes the shapes of the inputs that were run, empty if none could be
 * @param outcome whether it was measured, and why not
 * @param ratio the reference's time divided by this engine's, null if it was not measured
 */
record SweepRow(
        String name,
        String operator,
        String shapes,
        Outcome outcome,
        @Nullable Double ourMicros,
        @Nullable Double referenceMicros,
        @Nullable Double ratio,
        String note) {

    /** How far a case came; the further, the more telling. */
    enum Outcome {
        UNSCALED,
        PEER_REFUSED,
        OURS_REFUSED,
        DIFFERS,
        CUT_OFF,
        MEASURED
    }

    private static final String SEPARATOR = "\t";

    static SweepRow unmeasured(String name, String operator, String shapes, Outcome outcome, String note) {
        return new SweepRow(name, operator, shapes, outcome, null, null, null, note);
    }

    private List<String> fields() {
        return List.of(
                name,
                operator,
                shapes,
                outcome.name(),
                Numbers.format("%.3f", ourMicros),
                Numbers.format("%.3f", referenceMicros),
                Numbers.format("%.4f", ratio),
                note.replaceAll("\\s+", " ").strip());
    }

    /** Returns the row as one line, which processes exchange. */
    String toLine() {
        return String.join(SEPARATOR, fields());
    }

    static SweepRow ofLine(String line) {
        String[] fields = line.split(SEPARATOR, -1);
        return new SweepRow(
                fields[0],
                fields[1],
                fields[2],
                Outcome.valueOf(fields[3]),
                number(fields[4]),
                number(fields[5]),
                number(fields[6]),
                fields[7]);
    }

    private static @Nullable Double number(String field) {
        return field.isEmpty() ? null : Double.valueOf(field);
    }

    static String csvHeading() {
        return "case,operator,shapes,outcome,ours_us,peer_us,ratio,note";
    }

    String toCsv() {
        return String.join(",", fields().stream().map(Csv::quoted).toList());
    }

    String toText() {
        return "%-60s %-22s %-13s %10s %10s %6s %s"
                .formatted(
                        name,
                        operator,
                        outcome,
                        Numbers.format("%.1f", ourMicros),
                        Numbers.format("%.1f", referenceMicros),
                        Numbers.format("%.2f", ratio),
                        outcome == Outcome.MEASURED ? shapes : note)
                .stripTrailing();
    }
}
