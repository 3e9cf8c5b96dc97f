package dev.millrace.bench.kernels;

import dev.millrace.inspect.JsonText;
import org.jspecify.annotations.Nullable;

/**
 * The measurement of one case, per layer.
 *
 * @param lowering how this engine's kernels ran
 * @param referenceMicros the reference's time, or null without a reference
 * @param ratio the reference's time divided by this engine's
 * @param shareOfPeak the speed as a share of the machine's peak
 */
record KernelRow(
        String kernel,
        String shape,
        int threads,
        String lowering,
        double ourMicros,
        @Nullable Double referenceMicros,
        @Nullable Double ratio,
        double shareOfPeak) {

    static String heading() {
        return "%-20s %-30s %7s %10s %11s %11s %7s %7s"
                .formatted("kernel", "shape", "threads", "lowering", "ours us", "peer us", "ratio", "peak");
    }

    String toRow() {
        return "%-20s %-30s %7d %10s %11.2f %11s %7s %6.1f%%"
                .formatted(
                        kernel,
                        shape,
                        threads,
                        lowering,
                        ourMicros,
                        referenceMicros == null ? "" : "%.2f".formatted(referenceMicros),
                        ratio == null ? "" : "%.2f".formatted(ratio),
                        100 * shareOfPeak);
    }

    String toJson() {
        return JsonText.object(json -> {
            json.writeStringProperty("kernel", kernel);
            json.writeStringProperty("shape", shape);
            json.writeNumberProperty("threads", threads);
            json.writeStringProperty("lowering", lowering);
            json.writeNumberProperty("ours_us", ourMicros);
            JsonText.number(json, "peer_us", referenceMicros);
            JsonText.number(json, "ratio", ratio);
            json.writeNumberProperty("share_of_peak", shareOfPeak);
        });
    }
}
