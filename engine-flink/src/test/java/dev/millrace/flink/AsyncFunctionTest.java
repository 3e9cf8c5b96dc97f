package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests models in streams. */
class AsyncFunctionTest {
    private static TestCluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.shared();
    }

    private static MillraceAsyncFunction<Long, Long> twice(ModelSettings settings) {
        return MillraceAsyncFunction.of(
                settings,
                element -> Inputs.of("x", Tensor.copyOf(new long[] {element}, 1)),
                (element, outputs) -> outputs.get("y").longs()[0]);
    }

    private static List<Long> collected(DataStream<Long> results) throws Exception {
        var all = new ArrayList<Long>();
        try (CloseableIterator<Long> iterator = results.executeAndCollect()) {
            iterator.forEachRemaining(all::add);
        }
        return all;
    }

    @Test
    void anOrderedStreamKeepsItsOrder() throws Exception {
        StreamExecutionEnvironment env = cluster.environment().setParallelism(1);
        DataStream<Long> results = AsyncDataStream.orderedWait(
                        env.fromSequence(1, 500),
                        twice(ModelSettings.of(FlinkModels.twice(folder).toString())),
                        1,
                        TimeUnit.MINUTES,
                        64)
                .returns(Types.LONG);
        assertThat(collected(results))
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 500).map(x -> 2 * x).boxed().toList());
    }

    @Test
    void theModelComesFromTheDistributedCache() throws Exception {
        StreamExecutionEnvironment env = cluster.environment();
        env.registerCachedFile(FlinkModels.twice(folder).toUri().toString(), "twice");
        DataStream<Long> results = AsyncDataStream.unorderedWait(
                        env.fromSequence(1, 500), twice(ModelSettings.of("cache:twice")), 1, TimeUnit.MINUTES, 64)
                .returns(Types.LONG);
        assertThat(collected(results))
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.rangeClosed(1, 500).map(x -> 2 * x).boxed().toList());
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void aTimeoutCancelsTheRun() throws Exception {
        StreamExecutionEnvironment env = cluster.environment();
        MillraceAsyncFunction<Long, Long> slow = MillraceAsyncFunction.of(
                ModelSettings.of(FlinkModels.slow(folder).toString()),
                element -> Inputs.of("x", Tensor.copyOf(new float[] {element}, 1)),
                (element, outputs) -> element);
        DataStream<Long> results = AsyncDataStream.unorderedWait(
                        env.fromSequence(1, 1), slow, Duration.ofMillis(500).toMillis(), TimeUnit.MILLISECONDS)
                .returns(Types.LONG);
        // The job can end only if the run is cancelled: closing a session waits for its runs.
        assertThatThrownBy(() -> collected(results)).hasStackTraceContaining(TimeoutException.class.getName());
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void aFunctionThatThrowsFailsTheJob() throws Exception {
        StreamExecutionEnvironment env = cluster.environment();
        MillraceAsyncFunction<Long, Long> broken = MillraceAsyncFunction.of(
                ModelSettings.of(FlinkModels.twice(folder).toString()),
                element -> Inputs.of("x", Tensor.copyOf(new long[] {element}, 1)),
                (element, outputs) -> {
                    throw new IllegalStateException("no result for " + element);
                });
        DataStream<Long> results = AsyncDataStream.unorderedWait(env.fromSequence(7, 7), broken, 1, TimeUnit.MINUTES)
                .returns(Types.LONG);
        assertThatThrownBy(() -> collected(results)).hasStackTraceContaining("no result for 7");
        assertThat(SharedEngine.isOpen()).isFalse();
    }
}
