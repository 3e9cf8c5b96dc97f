package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the guide's examples work. */
class ScaleOutGuideTest {
    private static final Path GUIDE = Path.of("../docs/guide/scale-out.md");
    private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);
    private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static TestCluster cluster;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.shared();
    }

    private static List<String> found(Pattern pattern) throws IOException {
        return pattern.matcher(Files.readString(GUIDE))
                .results()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    private Path features() {
        return FlinkModels.same(folder, "features", "scores", FlinkModels.rows(ElementType.FLOAT, 2));
    }

    @Test
    void theStatementsOfSqlRunInTheirOrder() throws Exception {
        StreamTableEnvironment tables = StreamTableEnvironment.create(cluster.environment());
        tables.executeSql("CREATE VIEW documents AS SELECT * FROM (VALUES (1, 'mill'), (2, 'race')) AS t(id, text)");
        tables.executeSql(
                "CREATE VIEW flowers AS SELECT 7 AS id, ARRAY[CAST(0.5 AS FLOAT), CAST(2 AS FLOAT)] AS features");
        var rows = new ArrayList<Row>();
        for (String statement : found(SQL)) {
            String here = statement
                    .replace(
                            "/models/all-minilm-l6-v2/model.onnx",
                            FlinkModels.words(folder).toString())
                    .replace("/models/iris.onnx", features().toString());
            if (statement.startsWith("CREATE")) {
                tables.executeSql(here);
            } else {
                try (CloseableIterator<Row> results = tables.executeSql(here).collect()) {
                    results.forEachRemaining(rows::add);
                }
            }
        }
        assertThat(rows)
                .containsExactlyInAnyOrder(
                        Row.of(1, new Float[] {0f, 1f}), Row.of(2, new Float[] {1f, 0f}), Row.of(7, 0.5f));
    }

    @Test
    void theStreamOfThePageRuns() throws Exception {
        String model = features().toString();
        DataStream<Long> numbers = cluster.environment().fromSequence(3, 4);
        MillraceAsyncFunction<Long, Float> score = MillraceAsyncFunction.of(
                ModelSettings.builder(model).batchSize(64).build(),
                number -> Inputs.of("features", Tensor.copyOf(new float[] {number, 1}, 1, 2)),
                (number, outputs) -> outputs.get("scores").floats()[0]);
        DataStream<Float> scores = AsyncDataStream.unorderedWait(numbers, score, 10, TimeUnit.SECONDS, 256)
                .returns(Types.FLOAT);
        var all = new ArrayList<Float>();
        try (CloseableIterator<Float> results = scores.executeAndCollect()) {
            results.forEachRemaining(all::add);
        }
        assertThat(all).containsExactlyInAnyOrder(3f, 4f);
    }

    @Test
    void theJavaOfThePageStandsInThisTest() throws IOException {
        String here = Files.readString(Path.of("src/test/java/dev/millrace/flink/ScaleOutGuideTest.java"))
                .replaceAll("\\s+", "");
        assertThat(found(JAVA)).hasSize(1).allSatisfy(each -> assertThat(here).contains(each.replaceAll("\\s+", "")));
    }

    @Test
    void thePageNamesEachOption() throws IOException {
        String page = Files.readString(GUIDE);
        assertThat(Stream.concat(Stream.of(MillraceOptions.MODEL), MillraceOptions.optional().stream())
                        .map(ConfigOption::key))
                .allSatisfy(key -> assertThat(page).contains("| `" + key + "` |"));
    }
}
