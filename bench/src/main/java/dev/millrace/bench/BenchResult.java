package dev.millrace.bench;

import dev.millrace.cli.io.JsonText;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The measurement of one model, in milliseconds.
 *
 * @param peer the times of the reference, or null without one
 * @param difference the largest distance of two numbers of the answers, relative to the largest of
 *     their output; 0 without a reference
 */
record BenchResult(
        String model,
        String provider,
        int threads,
        Map<String, String> shapes,
        Timing ours,
        @Nullable Timing peer,
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
                        peer == null ? "" : "%.3f".formatted(peer.median),
                        peer == null ? "" : "%.2f".formatted(ratio),
                        peer == null ? "" : "%.2f".formatted(ratioBest),
                        ours.create,
                        peer == null ? "" : "%.1f".formatted(peer.create),
                        ours.first,
                        peer == null ? "" : "%.2f".formatted(peer.first),
                        peer == null ? "" : "%.1e".formatted(difference));
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
            JsonText.number(json, "peer_ms", peer == null ? null : peer.median);
            JsonText.number(json, "ratio", peer == null ? null : ratio);
            JsonText.number(json, "ratio_best", peer == null ? null : ratioBest);
            json.writeNumberProperty("create_ms", ours.create);
            JsonText.number(json, "peer_create_ms", peer == null ? null : peer.create);
            json.writeNumberProperty("first_ms", ours.first);
            JsonText.number(json, "peer_first_ms", peer == null ? null : peer.first);
            JsonText.number(json, "max_diff", peer == null ? null : difference);
        });
    }
}
