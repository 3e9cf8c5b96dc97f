package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.ModelServer;
import dev.millrace.server.ServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a job that runs its model inside beside the same job that calls a model server in this JVM, and prints the rows per second
 * of both. {@code -Dmillrace.flink.calls} sets the number of rows; the figures need 50,000 or more.
 */
class CallingTheServerTest {
    private static final int ROWS = Integer.getInteger("millrace.flink.calls", 2_000);
    private static final int TURNS = ROWS < 50_000 ? 1 : 3;

    @TempDir
    private Path folder;

    /** Runs a job, checks its rows, and returns the rows per second. */
    private static double perSecond(AsyncFunction<Long, Tuple2<Long, float[]>> words) throws Exception {
        StreamExecutionEnvironment env = TestCluster.shared().environment();
        var source = new DataGeneratorSource<>((Long number) -> number, ROWS, Types.LONG);
        DataStream<Long> numbers = env.fromSource(source, WatermarkStrategy.noWatermarks(), "numbers");
        int rows = 0;
        long start = System.nanoTime();
        try (CloseableIterator<Tuple2<Long, float[]>> answers =
                NumberedWords.answered(numbers, words).executeAndCollect()) {
            while (answers.hasNext()) {
                Tuple2<Long, float[]> row = answers.next();
                assertThat(row.f1).containsExactly(NumberedWords.expected(Math.toIntExact(row.f0)));
                rows++;
            }
        }
        assertThat(rows).isEqualTo(ROWS);
        return rows * 1e9 / (System.nanoTime() - start);
    }

    private ModelServer server() throws Exception {
        Path repository = Files.createDirectories(folder.resolve("models"));
        Path version = Files.createDirectories(repository.resolve("words/1"));
        Files.move(FlinkModels.words(version), version.resolve("model.onnx"));
        Files.writeString(repository.resolve("words/config.pbtxt"), "max_batch_size: 32 dynamic_batching {}");
        return ModelServer.start(ServerOptions.builder()
                .repositories(repository)
                .httpPort(0)
                .grpcPort(0)
                .metricsPort(0)
                .build());
    }

    @Test
    void bothJobsHaveTheSameRows() throws Exception {
        List<String> lines = new ArrayList<>();
        try (ModelServer server = server()) {
            for (int turn = 0; turn < TURNS; turn++) {
                double inside = perSecond(NumberedWords.inside(folder));
                double calling = perSecond(new CallingFunction(server.httpPort()));
                lines.add("%d rows: %.0f/s with the model in the job, %.0f/s calling the server, ratio %.1f"
                        .formatted(ROWS, inside, calling, inside / calling));
            }
        }
        lines.forEach(System.out::println);
        assertThat(SharedEngine.isOpen()).isFalse();
    }
}
