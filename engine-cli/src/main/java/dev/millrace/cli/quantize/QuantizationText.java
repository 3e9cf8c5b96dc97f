package dev.millrace.cli.quantize;

import dev.millrace.cli.show.SessionText;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.quantize.QuantizeReport;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;

/** Prints the report on a quantisation as tables of text. */
public final class QuantizationText {
    private QuantizationText() {}

    private static final class Group {
        private long count;
        private long bytes;
    }

    /** Prints the weights, those that stay by their reasons, and the totals. */
    public static void weights(QuantizeReport report, PrintWriter out) {
        if (!report.weights().isEmpty()) {
            out.printf("%9s %4s %10s %10s  %-20s %s%n", "error", "bits", "before", "after", "operator", "weight");
        }
        for (QuantizeReport.Weight weight : report.weights()) {
            out.printf(
                    Locale.ROOT,
                    "%8.3f%% %4d %10s %10s  %-20s %s%n",
                    weight.error() * 100,
                    weight.bits(),
                    SessionText.bytes(weight.bytesBefore()),
                    SessionText.bytes(weight.bytesAfter()),
                    weight.operator(),
                    PlainText.line(weight.name() + " " + weight.shape())
                            + (weight.sourceStays() ? ", whose floats stay for other nodes" : ""));
        }
        var groups = new LinkedHashMap<String, Group>();
        for (QuantizeReport.Kept kept : report.kept()) {
            Group group = groups.computeIfAbsent(kept.reason(), _ -> new Group());
            group.count++;
            group.bytes += kept.bytes();
        }
        groups.forEach((reason, group) -> out.printf(
                "kept: %d of %s: %s%n", group.count, SessionText.bytes(group.bytes), PlainText.line(reason)));
        out.printf(
                Locale.ROOT,
                "%d weights quantised, %d kept; constants %s -> %s%n",
                report.weights().size(),
                report.kept().size(),
                SessionText.bytes(report.bytesBefore()),
                SessionText.bytes(report.bytesAfter()));
    }

    /** Prints the differences of the outputs. */
    public static void outputs(ModelComparison comparison, PrintWriter out) {
        out.printf(
                "%n%12s %10s %10s %10s  output (%d samples)%n",
                "max abs", "rel RMS", "cosine", "arg-max", comparison.samples());
        for (OutputError error : comparison.errors()) {
            out.printf(
                    Locale.ROOT,
                    "%12.4g %9.3f%% %10.6f %10s  %s%n",
                    error.largest(),
                    error.relative() * 100,
                    error.cosine(),
                    error.rows() == 0 ? "-" : error.equalRows() + "/" + error.rows(),
                    PlainText.line(error.name()));
        }
    }
}
