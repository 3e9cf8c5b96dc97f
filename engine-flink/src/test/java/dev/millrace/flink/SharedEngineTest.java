package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedEngineTest {
    @TempDir
    private Path folder;

    private static ModelLease open(ModelSettings settings) {
        return SharedEngine.open(settings, Path.of(settings.model()));
    }

    @Test
    void filesOfEqualContentsAreOneModel() throws Exception {
        Path model = FlinkModels.twice(folder);
        Path copy = Files.copy(model, folder.resolve("copy.onnx"));
        try (ModelLease one = open(ModelSettings.of(model.toString()));
                ModelLease other = open(ModelSettings.of(copy.toString()))) {
            assertThat(other.inference()).isSameAs(one.inference());
        }
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void otherSettingsAreAnotherModel() {
        ModelSettings settings = ModelSettings.of(FlinkModels.twice(folder).toString());
        ModelSettings alone =
                ModelSettings.builder(settings.model()).batchSize(1).build();
        try (ModelLease one = open(settings);
                ModelLease other = open(alone)) {
            assertThat(other.inference()).isNotSameAs(one.inference());
        }
    }

    @Test
    void theEngineLastsUntilTheLastModelIsClosed() {
        ModelSettings settings = ModelSettings.of(FlinkModels.twice(folder).toString());
        ModelLease one = open(settings);
        ModelLease other = open(settings);
        one.close();
        one.close();
        assertThat(SharedEngine.isOpen()).isTrue();
        try (var outputs = other.inference().run(Inputs.of("x", Tensor.copyOf(new long[] {4}, 1)))) {
            assertThat(outputs.get("y").longs()).containsExactly(8);
        }
        other.close();
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void aModelThatDoesNotOpenLeavesNoEngine() throws Exception {
        Path broken = Files.write(folder.resolve("broken.onnx"), new byte[] {1, 2, 3});
        assertThatThrownBy(() -> open(ModelSettings.of(broken.toString()))).isInstanceOf(EngineException.class);
        assertThatThrownBy(() ->
                        open(ModelSettings.of(folder.resolve("absent.onnx").toString())))
                .hasMessageContaining("each task manager needs the file");
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void anotherNumberOfThreadsIsRefusedWhileTheEngineIsOpen() {
        String model = FlinkModels.twice(folder).toString();
        try (ModelLease _ = open(ModelSettings.builder(model).threads(1).build())) {
            assertThatThrownBy(
                            () -> open(ModelSettings.builder(model).threads(2).build()))
                    .hasMessageContaining("asks for threads=2");
            open(ModelSettings.of(model)).close();
        }
    }

    /** A group that keeps what is registered. */
    private static final class Kept extends UnregisteredMetricsGroup {
        private final Map<String, Metric> metrics = new HashMap<>();

        @Override
        public MetricGroup addGroup(String name) {
            return this;
        }

        @Override
        public <C extends Counter> C counter(String name, C counter) {
            metrics.put(name, counter);
            return counter;
        }

        @Override
        public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
            metrics.put(name, gauge);
            return gauge;
        }

        @Override
        public <H extends Histogram> H histogram(String name, H histogram) {
            metrics.put(name, histogram);
            return histogram;
        }

        private <T> T metric(String name, Class<T> type) {
            return type.cast(Objects.requireNonNull(metrics.get(name)));
        }

        private Object value(String name) {
            return metric(name, Gauge.class).getValue();
        }
    }

    @Test
    void metricsCountRowsAndRuns() {
        try (ModelLease lease = open(ModelSettings.of(FlinkModels.twice(folder).toString()))) {
            var group = new Kept();
            var metrics = new TaskMetrics(group, lease.counters());
            assertThat(group.value("modelRowsPerRun")).isEqualTo(0.0);
            lease.inference()
                    .run(Inputs.of("x", Tensor.copyOf(new long[] {4}, 1)))
                    .close();
            metrics.ended(System.nanoTime() - 3_000_000, false);
            metrics.ended(System.nanoTime() - 9_000_000, true);
            assertThat(group.value("modelRuns")).isEqualTo(1L);
            assertThat(group.value("modelRowsPerRun")).isEqualTo(1.0);
            assertThat((Double) group.value("modelMillisPerRun")).isPositive();
            assertThat(group.metric("rows", Counter.class).getCount()).isOne();
            assertThat(group.metric("failures", Counter.class).getCount()).isOne();
            Histogram latency = group.metric("latencyMicros", Histogram.class);
            assertThat(latency.getCount()).isEqualTo(2);
            assertThat(latency.getStatistics().getQuantile(0.5)).isBetween(3_000.0, 9_000.0);
            assertThat(latency.getStatistics().getMax()).isGreaterThanOrEqualTo(9_000);
        }
    }
}
