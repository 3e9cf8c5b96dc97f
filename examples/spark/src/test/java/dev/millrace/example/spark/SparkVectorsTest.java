package dev.millrace.example.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SparkVectorsTest {
    private static final String WORDS = """
        {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "mill": 1, "race": 2}}}
        """;

    /** A word's vector is its row of a table. */
    private static byte[] model() {
        var editor = new GraphEditor(Graph.named("words"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"))));
        Value table = editor.addConstant("table", Tensor.copyOf(new float[] {1, 0, 0, 4, 3, 0}, 3, 2));
        editor.addOutput(
                "hidden",
                editor.append(NodeSpec.of(OpId.onnx("Gather"), 21, table, ids), List.of("hidden"))
                        .requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null));
    }

    @Test
    void eachTextHasItsVector(@TempDir Path folder) throws Exception {
        Files.write(folder.resolve("model.onnx"), model());
        Files.writeString(folder.resolve("tokenizer.json"), WORDS);
        try (SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .getOrCreate()) {
            Dataset<Row> texts = spark.range(0, 1000, 1, 4)
                    .selectExpr("id", "CASE id % 2 WHEN 0 THEN 'mill' ELSE 'race' END AS text");
            List<Row> rows = SparkVectors.vectors(texts, folder.toString()).collectAsList();
            assertThat(rows).hasSize(1000);
            for (Row row : rows) {
                float first = row.getLong(0) % 2;
                assertThat(row.<Float>getList(1)).containsExactly(first, 1 - first);
            }
        }
    }
}
