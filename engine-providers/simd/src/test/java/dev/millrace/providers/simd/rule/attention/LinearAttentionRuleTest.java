package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinearAttentionRuleTest {
    private static final int BATCH = 2;
    private static final int STEPS = 5;
    private static final int KEY_HEADS = 2;
    private static final int DEPTH = 12;
    private static final int VALUE_DEPTH = 20;

    private final Random random = new Random(23);
    private final @Nullable Tensor[] inputs = new Tensor[6];

    @ParameterizedTest
    @CsvSource({
        "linear, 2, 2, 2, FLOAT",
        "gated, 2, 2, 2, FLOAT",
        "gated, 4, 24, 2, FLOAT",
        "delta, 2, 2, 1, FLOAT",
        "gated_delta, 2, 2, 2, FLOAT",
        "gated_delta, 6, 24, 1, FLOAT",
        "gated_delta, 2, 2, 2, FLOAT16"
    })
    void statesAreUpdatedAndAnswer(String rule, int heads, int decays, int rates, ElementType type) {
        for (boolean past : new boolean[] {false, true}) {
            Arrays.fill(inputs, null);
            inputs[0] = reals(BATCH, STEPS, heads * (long) DEPTH);
            inputs[1] = reals(BATCH, STEPS, KEY_HEADS * (long) DEPTH);
            inputs[2] = reals(BATCH, STEPS, KEY_HEADS * (long) VALUE_DEPTH);
            inputs[3] = past ? reals(BATCH, KEY_HEADS, DEPTH, VALUE_DEPTH) : null;
            inputs[4] = rule.startsWith("gated") ? RandomTensors.uniform(random, -2, 0, BATCH, STEPS, decays) : null;
            inputs[5] = rule.endsWith("delta") ? RandomTensors.uniform(random, 0, 1, BATCH, STEPS, rates) : null;
            try (var comparison = new Comparison(editor -> graph(editor, rule, heads, type))) {
                comparison
                        .agreesOn(Arrays.stream(inputs).filter(Objects::nonNull).toArray(Tensor[]::new))
                        .withoutFallback();
            }
        }
    }

    private Tensor reals(long... dims) {
        return RandomTensors.uniform(random, -0.5f, 0.5f, dims);
    }

    private void graph(GraphEditor editor, String rule, int heads, ElementType type) {
        var values = new ArrayList<@Nullable Value>();
        for (int i = 0; i < inputs.length; i++) {
            Tensor tensor = inputs[i];
            values.add(
                    tensor == null
                            ? null
                            : cast(
                                    editor,
                                    Comparison.floats(
                                            editor, "x" + i, tensor.shape().rank()),
                                    type));
        }
        NodeSpec spec = NodeSpec.of(OpId.onnx("LinearAttention"), 27, values)
                .with("update_rule", Attribute.of(rule))
                .with("q_num_heads", Attribute.of((long) heads))
                .with("kv_num_heads", Attribute.of((long) KEY_HEADS));
        Node node = editor.append(spec, List.of("y", "present"));
        editor.addOutput("out0", cast(editor, node.requireOutput(0), ElementType.FLOAT));
        editor.addOutput("out1", cast(editor, node.requireOutput(1), ElementType.FLOAT));
    }

    private static Value cast(GraphEditor editor, Value value, ElementType type) {
        NodeSpec spec = NodeSpec.of(OpId.onnx("Cast"), 21, value).with("to", Attribute.of((long) type.code()));
        return editor.append(spec, List.of(value.name() + "_" + type)).requireOutput(0);
    }
}
