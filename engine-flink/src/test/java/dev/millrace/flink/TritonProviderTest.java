package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.ModelServer;
import dev.millrace.server.ServerOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the model server with Flink's own provider {@code triton} as its client. */
class TritonProviderTest {
    @TempDir
    private static Path folder;

    private static ModelServer server;

    @BeforeAll
    static void start() throws Exception {
        Path repository = Files.createDirectories(folder.resolve("models"));
        // The client writes the names of inputs in upper case.
        serve(repository, "longs", FlinkModels.rows(ElementType.INT64), "");
        serve(repository, "pairs", FlinkModels.rows(ElementType.FLOAT, 2), "max_batch_size: 8 dynamic_batching {}");
        serve(repository, "words", FlinkModels.rows(ElementType.STRING), "");
        server = ModelServer.start(ServerOptions.builder()
                .repositories(repository)
                .httpPort(0)
                .grpcPort(0)
                .metricsPort(0)
                .build());
    }

    private static void serve(Path repository, String name, ValueType type, String config) throws Exception {
        Path version = Files.createDirectories(repository.resolve(name).resolve("1"));
        Files.move(FlinkModels.same(version, "X", "Y", type), version.resolve("model.onnx"));
        Files.writeString(repository.resolve(name).resolve("config.pbtxt"), config);
    }

    @AfterAll
    static void end() {
        server.close();
    }

    private static TritonClient client(String model, DataType input, DataType output, Map<String, String> more)
            throws Exception {
        return new TritonClient("http://localhost:" + server.httpPort() + "/v2/models", model, input, output, more);
    }

    @ParameterizedTest
    @CsvSource({"timeout, 10s", "compression, gzip", "priority, 1", "auth-token, none"})
    void numbersAreAnswered(String option, String value) throws Exception {
        try (TritonClient client = client("longs", DataTypes.BIGINT(), DataTypes.BIGINT(), Map.of(option, value))) {
            for (long number = 1; number < 50; number++) {
                assertThat(client.answer(GenericRowData.of(number)).getLong(0)).isEqualTo(number);
            }
        }
    }

    @Test
    void arraysAreAnswered() throws Exception {
        DataType floats = TritonClient.array(DataTypes.FLOAT());
        float[] numbers = {0.5f, 3};
        try (TritonClient client = client("pairs", floats, floats, Map.of())) {
            assertThat(client.answer(GenericRowData.of(new GenericArrayData(numbers)))
                            .getArray(0)
                            .toFloatArray())
                    .containsExactly(numbers);
        }
    }

    @Test
    void textsAreAnswered() throws Exception {
        try (TritonClient client = client("words", DataTypes.STRING(), DataTypes.STRING(), Map.of())) {
            StringData text = StringData.fromString("grün");
            assertThat(client.answer(GenericRowData.of(text)).getString(0)).isEqualTo(text);
        }
    }

    @Test
    void theClientShowsTheServersMessage() throws Exception {
        try (TritonClient client = client("longs", DataTypes.FLOAT(), DataTypes.BIGINT(), Map.of())) {
            assertThatThrownBy(() -> client.answer(GenericRowData.of(1f)))
                    .hasStackTraceContaining("HTTP 400")
                    .hasStackTraceContaining("INT64");
        }
    }
}
