package dev.millrace.bench;

import dev.millrace.inspect.JsonText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The measurement of one model, in milliseconds.
 *
 * @param reference the times of the reference, or null without one
 * @param difference the largest distance of two numbers of the answers, relative to the largest of
 *     their output; 0 without a reference
 */
record BenchResult(
        String model,
        String provider,
        int threads,
        Map<String, String> shapes,
        Timing ours,
        @Nullable Timing reference,
        double ratio,
        double ratioBest,
        double difference) {

    /** The times of one side: the median run, the quickest run, the median creation of a session, and its first run. */
    record Timing(double median, double best, double create, double first) {}

    static String heading() {
        return "%-18s %7s %10s %10s %7s %7s %10s %10s %9s %9s %9s"
                .formatted(
                        "model",
                        "threads",
                        "ours ms",
                        "peer ms",
                        "ratio",
                        "best",
                        "create ms",
                        "peer",
                        "first ms",
                        "peer",
                        "max diff");
    }

    String toRow() {
        return "%-18s %7d %10.3f %10s %7s %7s %10.1f %10s %9.2f %9s %9s"
                .formatted(
                        model,
                        threads,
                        ours.median,
                        reference == null ? "" : "%.3f".formatted(reference.median),
                        reference == null ? "" : "%.2f".formatted(ratio),
                        reference == null ? "" : "%.2f".formatted(ratioBest),
                        ours.create,
                        reference == null ? "" : "%.1f".formatted(reference.create),
                        ours.first,
                        reference == null ? "" : "%.2f".formatted(reference.first),
                        reference == null ? "" : "%.1e".formatted(difference));
    }

    String toJson() {
        return JsonText.object(json -> {
            json.writeStringProperty("model", model);
            json.writeStringProperty("provider", provider);
            json.writeNumberProperty("threads", threads);
            json.writeName("shapes");
            json.writeStartObject();
            shapes.forEach(json::writeStringProperty);
            json.writeEndObject();
            json.writeNumberProperty("ours_ms", ours.median);
            JsonText.number(json, "peer_ms", reference == null ? null : reference.median);
            JsonText.number(json, "ratio", reference == null ? null : ratio);
            JsonText.number(json, "ratio_best", reference == null ? null : ratioBest);
            json.writeNumberProperty("create_ms", ours.create);
            JsonText.number(json, "peer_create_ms", reference == null ? null : reference.create);
            json.writeNumberProperty("first_ms", ours.first);
            JsonText.number(json, "peer_first_ms", reference == null ? null : reference.first);
            JsonText.number(json, "max_diff", reference == null ? null : difference);
        });
    }
}
