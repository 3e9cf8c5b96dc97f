package dev.millrace.server.metrics;

import dev.millrace.server.model.FailureReason;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.protocol.InferStatistics;
import dev.millrace.server.protocol.ModelStatistics;
import dev.millrace.server.protocol.StatisticDuration;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** The counters of models under Triton's names. */
final class ModelMetrics {
    private static final long NANOS_PER_MICRO = 1000;

    private static final List<Metric> METRICS = List.of(
            counter(
                    "request_success",
                    "Requests that were answered",
                    each -> stats(each).getSuccess().getCount()),
            counter("count", "Rows of requests that were answered", ModelStatistics::getInferenceCount),
            counter("exec_count", "Runs of the model", ModelStatistics::getExecutionCount),
            duration("request_duration_us", "Time of answered requests", InferStatistics::getSuccess),
            duration("queue_duration_us", "Time that requests waited for runs", InferStatistics::getQueue),
            duration("compute_input_duration_us", "Time of joining requests", InferStatistics::getComputeInput),
            duration("compute_infer_duration_us", "Time of runs", InferStatistics::getComputeInfer),
            duration("compute_output_duration_us", "Time of splitting answers", InferStatistics::getComputeOutput));

    private ModelMetrics() {}

    private record Metric(String name, String help, ToLongFunction<ModelStatistics> value) {}

    private static Metric counter(String name, String help, ToLongFunction<ModelStatistics> value) {
        return new Metric("nv_inference_" + name, help, value);
    }

    private static Metric duration(String name, String help, Function<InferStatistics, StatisticDuration> time) {
        return counter(name, help, each -> time.apply(stats(each)).getNs() / NANOS_PER_MICRO);
    }

    private static InferStatistics stats(ModelStatistics statistics) {
        return statistics.getInferenceStats();
    }

    static String text(List<LoadedVersion> versions) {
        var text = new StringBuilder();
        List<ModelStatistics> all = versions.stream()
                .map(each -> each.counters().message(each.name(), each.version()))
                .toList();
        for (Metric metric : METRICS) {
            head(text, metric.name, metric.help, "counter");
            for (ModelStatistics each : all) {
                line(text, metric.name, each.getName(), each.getVersion(), "", metric.value.applyAsLong(each));
            }
        }
        String failures = "nv_inference_request_failure";
        head(text, failures, "Requests that failed", "counter");
        for (LoadedVersion each : versions) {
            for (FailureReason reason : FailureReason.values()) {
                String label = ",reason=\"" + reason + '"';
                line(
                        text,
                        failures,
                        each.name(),
                        each.version(),
                        label,
                        each.counters().failures(reason));
            }
        }
        String pending = "nv_inference_pending_request_count";
        head(text, pending, "Requests that wait for runs", "gauge");
        versions.forEach(each -> line(
                text, pending, each.name(), each.version(), "", each.model().waiting()));
        return text.toString();
    }

    private static void head(StringBuilder text, String name, String help, String type) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    }

    private static void line(StringBuilder text, String name, String model, String version, String label, long value) {
        text.append(name)
                .append("{model=\"")
                .append(escaped(model))
                .append("\",version=\"")
                .append(version)
                .append('"')
                .append(label);
        text.append("} ").append(value).append('\n');
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
