package dev.millrace.example.kafka;

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
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.SessionOptions;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.TopologyTestDriver;
import org.junit.jupiter.api.Test;

class VectorTopologyTest {
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
        Value hidden = editor.append(NodeSpec.of(OpId.onnx("Gather"), 21, table, ids), List.of("hidden"))
                .requireOutput(0);
        editor.setType(
                hidden,
                ValueType.tensor(
                        ElementType.FLOAT, SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"), Dim.of(2))));
        editor.addOutput("hidden", hidden);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null));
    }

    @Test
    void eachTextBecomesAVectorUnderItsKey() {
        try (Engine engine = Engine.create();
                var session = engine.session(model(), SessionOptions.defaults())) {
            Embedder embedder = Embedder.of(session.batched(BatchOptions.defaults()), Tokenizer.of(WORDS.getBytes()));
            try (var driver = new TopologyTestDriver(VectorTopology.of(embedder))) {
                var texts =
                        driver.createInputTopic(VectorTopology.TEXTS, new StringSerializer(), new StringSerializer());
                var vectors = driver.createOutputTopic(
                        VectorTopology.VECTORS,
                        new StringDeserializer(),
                        VectorTopology.vectors().deserializer());
                texts.pipeInput("a", "mill");
                texts.pipeInput("b", (String) null);
                texts.pipeInput("c", "race race");
                List<KeyValue<String, float[]>> answers = vectors.readKeyValuesToList();
                assertThat(answers).extracting(answer -> answer.key).containsExactly("a", "c");
                assertThat(answers.get(0).value).containsExactly(0, 1);
                assertThat(answers.get(1).value).containsExactly(1, 0);
            }
        }
    }
}
