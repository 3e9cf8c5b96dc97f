package dev.millrace.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.scoring.request.ScoringRequest;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
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
import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.text.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests scores of a cross-encoder that adds up the weights of the words of the passage, and ignores those of the query. */
class ScoringModelTest {
    private static final int OPSET = 21;
    private static final List<String> WORDS = List.of("mill", "race", "water");
    private static final float[] WEIGHTS = {0, 0, 0, 0.5f, -1, 3};

    private static final String TOKENIZER = """
        {"pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "unk_token": "[PAD]",
           "vocab": {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "mill": 3, "race": 4, "water": 5}},
         "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}, {"id": 1, "content": "[CLS]", "special": true},
           {"id": 2, "content": "[SEP]", "special": true}],
         "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]}}
        """;

    private static byte[] model() {
        var editor = new GraphEditor(Graph.named("words"));
        SymbolicShape shape = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("tokens"));
        Value ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, shape));
        Value mask = editor.addInput("attention_mask", ValueType.tensor(ElementType.INT64, shape));
        Value types = editor.addInput("token_type_ids", ValueType.tensor(ElementType.INT64, shape));
        Value table = editor.addConstant("table", Tensor.copyOf(WEIGHTS, WEIGHTS.length));
        Value weights = append(editor, "weights", "Gather", table, ids);
        Value counted = append(editor, "counted", "Mul", mask, types);
        NodeSpec cast =
                NodeSpec.of(OpId.onnx("Cast"), OPSET, counted).with("to", new Attribute.Int(ElementType.FLOAT.code()));
        Value factors = editor.append(cast, List.of("factors")).requireOutput(0);
        Value axis = editor.addConstant("axis", Tensor.copyOf(new long[] {1}, 1));
        Value products = append(editor, "products", "Mul", weights, factors);
        editor.addOutput("logits", append(editor, "logits", "ReduceSum", products, axis));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", OPSET), Map.of(), Map.of(), editor.graph(), null));
    }

    private static Value append(GraphEditor editor, String output, String operator, Value... inputs) {
        return editor.append(NodeSpec.of(OpId.onnx(operator), OPSET, inputs), List.of(output))
                .requireOutput(0);
    }

    private static double scoreOf(String passage) {
        return List.of(passage.split(" ")).stream()
                .mapToDouble(word -> WEIGHTS[3 + WORDS.indexOf(word)])
                .sum();
    }

    @Test
    @SuppressWarnings("NullAway") // callers without checks of nullness pass null
    void scoresAreThoseOfTheEncoderInTheOrderOfTheSegments() {
        var random = new Random(3);
        List<TextSegment> segments = IntStream.range(0, 100)
                .mapToObj(i -> IntStream.rangeClosed(0, random.nextInt(40))
                        .mapToObj(j -> WORDS.get(random.nextInt(WORDS.size())))
                        .collect(Collectors.joining(" ")))
                .map(TextSegment::from)
                .toList();
        Tokenizer tokenizer =
                Tokenizer.of(TOKENIZER.getBytes(StandardCharsets.UTF_8)).paddedWith("[PAD]");
        try (Engine engine = Engine.create();
                Session session = engine.session(model(), SessionOptions.defaults())) {
            var scoring = MillraceScoringModel.of(CrossEncoder.of(session, tokenizer));
            assertThat(scoring.scoreAll(segments, "water race").content())
                    .isEqualTo(segments.stream()
                            .map(segment -> scoreOf(segment.text()))
                            .toList());
            assertThat(scoring.score("water mill water", "race").content()).isEqualTo(6.5);
            assertThat(scoring.scoreAll(List.of(), "race").content()).isEmpty();
            ScoringRequest request = ScoringRequest.builder()
                    .query("race")
                    .documents(List.of("mill", "water"))
                    .build();
            assertThat(scoring.scoreAsync(request).join().scores()).containsExactly(0.5, 3.0);
            assertThatThrownBy(() -> scoring.scoreAll(null, "race")).hasMessageContaining("segments cannot be null");
            assertThatThrownBy(() -> scoring.scoreAll(List.of(), null)).hasMessageContaining("query cannot be null");
        }
    }
}
