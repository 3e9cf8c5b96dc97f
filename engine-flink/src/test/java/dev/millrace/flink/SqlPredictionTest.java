package dev.millrace.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.ElementType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests SQL's CREATE MODEL and ML_PREDICT on a cluster in this JVM. */
class SqlPredictionTest {
    @TempDir
    private Path folder;

    private static TestCluster cluster;

    private StreamTableEnvironment tables;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.shared();
    }

    @BeforeEach
    void connect() throws Exception {
        tables = StreamTableEnvironment.create(cluster.environment());
    }

    private List<Row> rows(String query) throws Exception {
        var rows = new ArrayList<Row>();
        try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
            results.forEachRemaining(rows::add);
        }
        return rows;
    }

    private void createModel(String columns, Path model, String more) {
        tables.executeSql(
                "CREATE MODEL m " + columns + " WITH ('provider'='millrace', 'model'='" + model + "'" + more + ")");
    }

    private static String predict(String columns, String table, boolean isAsync) {
        return "SELECT * FROM ML_PREDICT(TABLE " + table + ", MODEL m, DESCRIPTOR(" + columns + "), MAP['async', '"
                + isAsync + "'])";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aModelAnswersEachRow(boolean isAsync) throws Exception {
        createModel("INPUT(x BIGINT) OUTPUT(y BIGINT)", FlinkModels.twice(folder), "");
        tables.executeSql("CREATE VIEW numbers AS SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (40, 'c')) AS t(x, name)");
        tables.executeSql("CREATE VIEW longs AS SELECT CAST(x AS BIGINT) AS x, name FROM numbers");
        assertThat(rows(predict("x", "longs", isAsync)))
                .containsExactlyInAnyOrder(Row.of(1L, "a", 2L), Row.of(2L, "b", 4L), Row.of(40L, "c", 80L));
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aModelOfTextsAnswersWithVectors(boolean isAsync) throws Exception {
        createModel(
                "INPUT(text STRING) OUTPUT(vector ARRAY<FLOAT>)",
                FlinkModels.words(folder),
                ", 'task'='embedding', 'session.maxBindings'='4', 'batch.size'='8', 'threads'='1'");
        tables.executeSql(
                "CREATE VIEW texts AS SELECT * FROM (VALUES ('mill'), ('race mill race'), ('race')) AS t(text)");
        List<Row> rows = rows(predict("text", "texts", isAsync));
        var vectors = new TreeMap<String, Float[]>();
        rows.forEach(row -> vectors.put((String) row.getField(0), (Float[]) row.getField(1)));
        assertThat(vectors.get("mill")).containsExactly(0f, 1f);
        assertThat(vectors.get("race")).containsExactly(1f, 0f);
        assertThat(Objects.requireNonNull(vectors.get("race mill race"))[0])
                .isCloseTo((float) (6 / Math.sqrt(52)), within(1e-6f));
    }

    @Test
    void everyTypePassesBothWays() throws Exception {
        Path model = FlinkModels.same(
                folder,
                new TreeMap<>(Map.ofEntries(
                        Map.entry("i8", FlinkModels.rows(ElementType.INT8)),
                        Map.entry("i16", FlinkModels.rows(ElementType.INT16)),
                        Map.entry("i32", FlinkModels.rows(ElementType.INT32, 1)),
                        Map.entry("i64", FlinkModels.rows(ElementType.INT64)),
                        Map.entry("u8", FlinkModels.rows(ElementType.UINT8, 2)),
                        Map.entry("u16", FlinkModels.rows(ElementType.UINT16)),
                        Map.entry("u32", FlinkModels.rows(ElementType.UINT32)),
                        Map.entry("f16", FlinkModels.rows(ElementType.FLOAT16, 2)),
                        Map.entry("f32", FlinkModels.rows(ElementType.FLOAT, -1, -1)),
                        Map.entry("f64", FlinkModels.rows(ElementType.DOUBLE, 2)),
                        Map.entry("flag", FlinkModels.rows(ElementType.BOOL, 3)),
                        Map.entry("words", FlinkModels.rows(ElementType.STRING, 2)))));
        String in = "i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, u8 ARRAY<SMALLINT>, u16 INT, u32 BIGINT, f16"
                + " ARRAY<FLOAT>, f32 ARRAY<ARRAY<FLOAT>>, f64 ARRAY<DOUBLE>, flag ARRAY<BOOLEAN>, words"
                + " ARRAY<STRING>";
        createModel("INPUT(" + in + ") OUTPUT(" + in.replaceAll("(\\w+) (?=[A-Z])", "$1_out ") + ")", model, "");
        tables.executeSql(
                "CREATE VIEW single AS SELECT CAST(-8 AS TINYINT) AS i8, CAST(-16 AS SMALLINT) AS i16, -32 AS i32,"
                    + " CAST(-64 AS BIGINT) AS i64, ARRAY[CAST(0 AS SMALLINT), CAST(255 AS SMALLINT)] AS u8, 65535 AS"
                    + " u16, CAST(4294967295 AS BIGINT) AS u32, ARRAY[CAST(0.5 AS FLOAT), CAST(-2 AS FLOAT)] AS f16,"
                    + " ARRAY[ARRAY[CAST(1 AS FLOAT), CAST(2 AS FLOAT)], ARRAY[CAST(3 AS FLOAT), CAST(4 AS FLOAT)],"
                    + " ARRAY[CAST(5 AS FLOAT), CAST(6 AS FLOAT)]] AS f32, ARRAY[CAST(0.1 AS DOUBLE), CAST(0.2 AS"
                    + " DOUBLE)] AS f64, ARRAY[TRUE, FALSE, TRUE] AS flag, ARRAY['a', 'grün'] AS words");
        Row row = rows(predict("i8, i16, i32, i64, u8, u16, u32, f16, f32, f64, flag, words", "single", true))
                .getFirst();
        assertThat(row.getArity()).isEqualTo(24);
        for (int i = 0; i < 12; i++) {
            assertThat(row.getField(i + 12)).isEqualTo(row.getField(i));
        }
        assertThat(row.getField(17)).isEqualTo(65535);
    }

    @Test
    void aWrongSchemaIsRefusedWhenTheQueryIsPlanned() {
        Path model = FlinkModels.same(
                folder, Map.of("x", FlinkModels.rows(ElementType.FLOAT, 4), "n", FlinkModels.rows(ElementType.INT64)));
        refused(
                model,
                "x ARRAY<DOUBLE>, n BIGINT",
                "n_out BIGINT",
                "column 'x' of type ARRAY<DOUBLE> does not fit the model's declaration x: float[batch,4]: its elements"
                        + " are FLOAT in SQL");
        refused(model, "x FLOAT, n BIGINT", "n_out BIGINT", "the axes after the first are one ARRAY");
        refused(
                model,
                "x ARRAY<FLOAT>",
                "n_out BIGINT",
                "no input column 'n' for the model's declaration n: int64[batch]");
        refused(model, "x ARRAY<FLOAT>, n BIGINT", "y BIGINT", "output column 'y' is no output of the model");
        refused(model, "x ARRAY<FLOAT>, n STRING", "n_out BIGINT", "its elements are BIGINT in SQL");
    }

    private void refused(Path model, String input, String output, String message) {
        createModel("INPUT(" + input + ") OUTPUT(" + output + ")", model, "");
        String columns = input.replaceAll(" [A-Z<>]+", "");
        tables.executeSql(
                "CREATE TEMPORARY TABLE t (" + input + ") WITH ('connector'='datagen', 'number-of-rows'='1')");
        assertThatThrownBy(() -> tables.explainSql(predict(columns, "t", true)))
                .isInstanceOf(ValidationException.class)
                .hasStackTraceContaining(message);
        tables.executeSql("DROP TEMPORARY TABLE t");
        tables.executeSql("DROP MODEL m");
    }

    @Test
    void optionsThatMakeNoSenseAreRefused() {
        Path model = FlinkModels.twice(folder);
        tables.executeSql("CREATE VIEW longs AS SELECT CAST(1 AS BIGINT) AS x");
        for (String option : List.of("'nonsense'='1'", "'task'='poetry'", "'digest'='12'", "'batch.size'='0'")) {
            createModel("INPUT(x BIGINT) OUTPUT(y BIGINT)", model, ", " + option);
            assertThatThrownBy(() -> tables.explainSql(predict("x", "longs", true)))
                    .as(option)
                    .isInstanceOf(ValidationException.class);
            tables.executeSql("DROP MODEL m");
        }
    }

    @Test
    void aNullFailsTheJobAndNamesItsColumn() {
        createModel("INPUT(x BIGINT) OUTPUT(y BIGINT)", FlinkModels.twice(folder), "");
        tables.executeSql("CREATE VIEW longs AS SELECT CAST(NULL AS BIGINT) AS x");
        assertThatThrownBy(() -> rows(predict("x", "longs", true)))
                .hasStackTraceContaining("column 'x' has a null, and the model's tensors have none");
        assertThat(SharedEngine.isOpen()).isFalse();
    }

    @Test
    void aFileWithAnotherDigestIsRefused() {
        Path model = FlinkModels.twice(folder);
        createModel("INPUT(x BIGINT) OUTPUT(y BIGINT)", model, ", 'digest'='" + "0".repeat(64) + "'");
        tables.executeSql("CREATE VIEW longs AS SELECT CAST(1 AS BIGINT) AS x");
        assertThatThrownBy(() -> rows(predict("x", "longs", true)))
                .hasStackTraceContaining("has the SHA-256 " + ModelFile.digest(model));
    }

    @Test
    void theFileComesFromTheDistributedCache() throws Exception {
        Path model = FlinkModels.twice(folder);
        tables.getConfig().set("pipeline.cached-files", "name:twice,path:'" + model.toUri() + "'");
        createModel(
                "INPUT(x BIGINT) OUTPUT(y BIGINT)",
                Path.of("cache:twice"),
                ", 'digest'='" + ModelFile.digest(model) + "'");
        tables.executeSql("CREATE VIEW longs AS SELECT CAST(21 AS BIGINT) AS x");
        assertThat(rows(predict("x", "longs", false))).containsExactly(Row.of(21L, 42L));
        assertThatThrownBy(() -> rows(predict("x", "longs", true))).hasMessageContaining("support async mode");
    }

    @Test
    void aRowThatTakesTooLongFails() {
        createModel("INPUT(x FLOAT) OUTPUT(y FLOAT)", FlinkModels.slow(folder), ", 'timeout'='1s'");
        tables.executeSql("CREATE VIEW numbers AS SELECT CAST(1 AS FLOAT) AS x");
        assertThatThrownBy(() -> rows(predict("x", "numbers", true))).hasStackTraceContaining("deadline");
        assertThat(SharedEngine.isOpen()).isFalse();
    }
}
