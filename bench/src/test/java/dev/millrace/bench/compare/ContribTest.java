package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operators that ONNX Runtime defines mean to both what they mean to ONNX Runtime. */
@Tag("reference")
class ContribTest {
    private static final Attributes TWO_HEADS = Attributes.of("num_heads", Attribute.of(2));
    private static final Attributes GROUPS =
            Attributes.of("num_heads", Attribute.of(4)).with("kv_num_heads", Attribute.of(2));
    private static final Attributes ROTARY = GROUPS.with("do_rotary", Attribute.of(1));

    @TempDir
    private Path folder;

    @AutoClose
    private final Engine engine = Engine.create();

    private final Random random = new Random(41);

    private Tensor floats(long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    /** Checks one node; null stands for an input that is left out. */
    private void agrees(String op, int outputs, Attributes attributes, @Nullable Tensor... given) throws Exception {
        var model = new ReferenceModel();
        Inputs inputs = Inputs.empty();
        List<@Nullable Value> operands = new ArrayList<>();
        for (int i = 0; i < given.length; i++) {
            Tensor tensor = given[i];
            operands.add(tensor == null ? null : model.input("in" + i, tensor));
            if (tensor != null) {
                inputs.and("in" + i, tensor);
            }
        }
        String[] names = new String[outputs];
        for (int i = 0; i < outputs; i++) {
            names[i] = "out" + i;
        }
        NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, op), 1, operands).with(attributes);
        for (Value output : model.nodes(spec, names)) {
            model.output(output.name(), output);
        }
        Path file = Files.write(folder.resolve("one.onnx"), model.bytes());
        Map<String, Tensor> expected;
        try (var onnxRuntime = new OnnxRuntime(file, 1, OptLevel.ALL_OPT)) {
            onnxRuntime.create();
            expected = onnxRuntime.answer(inputs);
        }
        for (List<String> providers : List.of(List.of("cpu"), List.of("simd", "cpu"))) {
            var options = SessionOptions.builder();
            providers.forEach(options::provider);
            try (var ours = new Millrace(engine, file, options.build())) {
                ours.create();
                assertThat(Answers.maxAbsDiff(ours.answer(inputs), expected))
                        .as("%s by %s", op, providers)
                        .isLessThan(2e-5);
            }
        }
    }

    @Test
    void headsOfSeparateOperands() throws Exception {
        Tensor q = floats(2, 5, 16);
        Tensor k = floats(2, 7, 16);
        Tensor v = floats(2, 7, 16);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v);
        agrees("MultiHeadAttention", 1, TWO_HEADS.with("scale", Attribute.of(0.3f)), q, k, v);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v, floats(48));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v, null, null, floats(1, 2, 5, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v, null, null, floats(2, 1, 5, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, floats(2, 7, 24));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, floats(2, 2, 7, 8), floats(2, 2, 7, 8));
    }

    @Test
    void masksOfPadding() throws Exception {
        Tensor q = floats(2, 7, 16);
        Tensor keys = Tensor.copyOf(new int[] {1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0}, 2, 7);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, q, q, null, keys);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, q, q, null, keys, floats(1, 1, 7, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, q, q, null, ints(3, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS.with("unidirectional", Attribute.of(1)), q, q, q);
    }

    @Test
    void aPast() throws Exception {
        Tensor q = floats(2, 3, 16);
        Tensor past = floats(2, 2, 4, 8);
        agrees("MultiHeadAttention", 3, TWO_HEADS, q, q, q, null, null, null, past, floats(2, 2, 4, 8));
        agrees("MultiHeadAttention", 3, TWO_HEADS, q, q, q, floats(48), null, null, past, past);
        Attributes causal = TWO_HEADS.with("unidirectional", Attribute.of(1));
        agrees("MultiHeadAttention", 3, causal, q, q, q, null, null, null, past, past);
    }

    @Test
    void groupsAtAPrompt() throws Exception {
        Tensor q = floats(2, 5, 64);
        Tensor k = floats(2, 5, 32);
        Tensor v = floats(2, 5, 32);
        agreesOnGroups(GROUPS, List.of(q, k, v), null, 5);
        agreesOnGroups(GROUPS, List.of(floats(2, 5, 128)), null, 5);
        agreesOnGroups(GROUPS.with("softcap", Attribute.of(2f)), List.of(q, k, v), null, 5);
        agreesOnGroups(GROUPS.with("local_window_size", Attribute.of(2)), List.of(q, k, v), null, 5);
        agreesOnGroups(ROTARY, List.of(q, k, v), null, 5);
        agreesOnGroups(ROTARY, List.of(floats(2, 5, 128)), null, 5);
        agreesOnGroups(ROTARY.with("rotary_interleaved", Attribute.of(1)), List.of(q, k, v), null, 5);
    }

    @Test
    void groupsBehindAPast() throws Exception {
        Tensor q = floats(2, 1, 64);
        Tensor k = floats(2, 1, 32);
        Tensor past = floats(2, 2, 6, 16);
        agreesOnGroups(GROUPS, List.of(q, k, k), past, 7, 7);
        agreesOnGroups(GROUPS, List.of(q, k, k), past, 7, 4);
        agreesOnGroups(GROUPS, List.of(q, k, k), past, 6, 4);
        agreesOnGroups(GROUPS.with("local_window_size", Attribute.of(3)), List.of(q, k, k), past, 7, 2);
        agreesOnGroups(ROTARY, List.of(q, k, k), past, 7, 4);
        Tensor last = ints(6, 6);
        Tensor bias = floats(1, 1, 1, 7);
        agrees("GroupQueryAttention", 3, GROUPS, q, k, k, past, past, last, ints(7), null, null, null, bias);
    }

    /** @param filled steps of each entry of the batch with those of this call; one number for both */
    private void agreesOnGroups(Attributes attributes, List<Tensor> rows, @Nullable Tensor past, int... filled)
            throws Exception {
        boolean turned = attributes.flag("do_rotary", false);
        agrees(
                "GroupQueryAttention",
                3,
                attributes,
                rows.getFirst(),
                rows.size() > 1 ? rows.get(1) : null,
                rows.size() > 1 ? rows.get(2) : null,
                past,
                past,
                ints(filled[0] - 1, filled[filled.length - 1] - 1),
                ints(filled[0]),
                turned ? floats(12, 8) : null,
                turned ? floats(12, 8) : null);
    }

    @Test
    void rotations() throws Exception {
        Tensor x = floats(2, 3, 16);
        Tensor cos = floats(9, 4);
        Tensor sin = floats(9, 4);
        Tensor from = Tensor.copyOf(new long[] {4}, 1);
        Tensor each = Tensor.copyOf(new long[] {0, 8, 3, 1, 1, 7}, 2, 3);
        for (int interleaved = 0; interleaved <= 1; interleaved++) {
            Attributes turned = Attributes.of("interleaved", Attribute.of(interleaved));
            agrees("RotaryEmbedding", 1, turned, x, from, cos, sin);
            agrees("RotaryEmbedding", 1, turned, x, each, cos, sin);
            agrees("RotaryEmbedding", 1, turned, floats(2, 2, 3, 8), each, cos, sin);
            Attributes part = turned.with("num_heads", Attribute.of(2)).with("rotary_embedding_dim", Attribute.of(4));
            agrees("RotaryEmbedding", 1, part, x, each, floats(9, 2), floats(9, 2));
        }
    }

    @Test
    void embeddings() throws Exception {
        Tensor words = Tensor.copyOf(new int[] {1, 0, 9, 4, 4, 2}, 2, 3);
        Tensor segments = Tensor.copyOf(new int[] {0, 0, 1, 0, 1, 1}, 2, 3);
        Tensor mask = Tensor.copyOf(new int[] {1, 1, 0, 1, 1, 1}, 2, 3);
        Tensor table = floats(10, 8);
        Tensor positions = floats(5, 8);
        Tensor kinds = floats(2, 8);
        Tensor gamma = floats(8);
        agrees("EmbedLayerNormalization", 2, Attributes.NONE, words, segments, table, positions, kinds, gamma, gamma);
        agrees(
                "EmbedLayerNormalization",
                3,
                Attributes.of("epsilon", Attribute.of(1e-5f)),
                words,
                segments,
                table,
                positions,
                kinds,
                gamma,
                gamma,
                mask);
        agrees("EmbedLayerNormalization", 2, Attributes.NONE, words, null, table, positions, null, gamma, gamma, mask);
    }
}
