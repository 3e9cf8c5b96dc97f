package dev.millrace.providers.simd.rule.experts;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Mixtures of five experts of 64 features and 96 between the layers. */
class ExpertRuleTest {
    private static final int EXPERTS = 5;
    private static final int WIDTH = 64;
    private static final int INNER = 96;
    private static final int[] TOKENS = {1, 2, 7, 40};

    private final Random random = new Random(6);
    private final Map<String, Attribute> attributes = new TreeMap<>();
    private final @Nullable Tensor[] weights = new Tensor[14];
    private int bits = 4;
    private int block = 32;
    /** The type of weights that have no blocks; null where they have. */
    private @Nullable ElementType floats;

    /** Draws a layer of the node with so many rows. */
    private void layer(int number, int rows, int columns, boolean zeros, boolean biases) {
        if (floats != null) {
            weights[2 + 2 * number] =
                    RandomTensors.reals(floats, Shape.of(EXPERTS, rows, columns), () -> random.nextGaussian() / 8);
            weights[3 + 2 * number] = biases ? reals(floats, EXPERTS, rows) : null;
            return;
        }
        int blocks = columns / block;
        int input = 2 + 3 * number;
        weights[input] = RandomTensors.bits(random, ElementType.UINT8, EXPERTS, rows, (long) columns * bits / 8);
        weights[input + 1] = RandomTensors.uniform(random, 0.002f, 0.02f, EXPERTS, rows, blocks);
        weights[input + 2] = biases ? RandomTensors.normal(random, EXPERTS, rows) : null;
        weights[11 + number] = zeros
                ? RandomTensors.bits(random, ElementType.UINT8, EXPERTS, rows, Math.ceilDiv(blocks * bits, 8))
                : null;
    }

    private Tensor reals(ElementType type, long... dims) {
        return RandomTensors.reals(type, Shape.of(dims), random::nextGaussian);
    }

    private void graph(GraphEditor editor) {
        graph(editor, floats);
    }

    /** @param type the type of weights without blocks, which halves may be widened to; null where weights have blocks */
    private void graph(GraphEditor editor, @Nullable ElementType type) {
        var operands = new ArrayList<@Nullable Value>();
        operands.add(input(editor, "x", type));
        operands.add(input(editor, "scores", type));
        for (int i = 2; i < weights.length; i++) {
            Tensor tensor = weights[i];
            Tensor weight = tensor != null && type == ElementType.FLOAT
                    ? Tensor.copyOf(tensor.floats(), tensor.shape().toArray())
                    : tensor;
            operands.add(weight == null ? null : editor.addConstant("w" + i, weight));
        }
        NodeSpec spec = type != null
                ? NodeSpec.of(new OpId(OpId.MICROSOFT, "MoE"), 1, operands.subList(0, 8))
                : NodeSpec.of(new OpId(OpId.MICROSOFT, "QMoE"), 1, operands)
                        .with("expert_weight_bits", Attribute.of(bits))
                        .with("block_size", Attribute.of(block));
        for (Map.Entry<String, Attribute> attribute : attributes.entrySet()) {
            spec = spec.with(attribute.getKey(), attribute.getValue());
        }
        Value y = editor.append(spec, List.of("y")).requireOutput(0);
        editor.addOutput("out", type == null ? y : cast(editor, y, ElementType.FLOAT));
    }

    private static Value input(GraphEditor editor, String name, @Nullable ElementType type) {
        Value value = Comparison.floats(editor, name, 2);
        return type == null ? value : cast(editor, value, type);
    }

    private static Value cast(GraphEditor editor, Value value, ElementType type) {
        NodeSpec spec = NodeSpec.of(OpId.onnx("Cast"), 21, value).with("to", Attribute.of((long) type.code()));
        return editor.append(spec, List.of(value.name() + "_" + type)).requireOutput(0);
    }

    private void check() {
        // kernels compute in floats where weights are halves
        try (Comparison both =
                new Comparison(this::graph, editor -> graph(editor, floats == null ? null : ElementType.FLOAT))) {
            for (int tokens : TOKENS) {
                both.agreesOn(numbers(tokens, WIDTH), numbers(tokens, EXPERTS)).withoutFallback();
            }
        }
    }

    /** Returns numbers that halves of any type have. */
    private Tensor numbers(long rows, long columns) {
        return RandomTensors.reals(ElementType.FLOAT, Shape.of(rows, columns), () -> random.nextInt(-64, 65) / 64.0);
    }

    @ParameterizedTest
    @CsvSource({"4, 32, false, true", "4, 16, true, false", "8, 32, true, true", "8, 32, false, false"})
    void functionsBetweenTheLayers(int bitsOfWeights, int sizeOfBlocks, boolean zeros, boolean biases) {
        bits = bitsOfWeights;
        block = sizeOfBlocks;
        layer(0, INNER, WIDTH, zeros, biases);
        layer(1, WIDTH, INNER, zeros, biases);
        for (String activation : new String[] {"relu", "gelu", "silu", "identity"}) {
            attributes.put("activation_type", Attribute.of(activation));
            attributes.put("k", Attribute.of(2));
            check();
            attributes.put("normalize_routing_weights", Attribute.of(1));
            check();
            attributes.clear();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 4, true", "1, 8, false", "2, 4, false", "2, 8, true"})
    void gatesInTheFirstLayer(int fusion, int bitsOfWeights, boolean zeros) {
        bits = bitsOfWeights;
        layer(0, 2 * INNER, WIDTH, zeros, true);
        layer(1, WIDTH, INNER, zeros, true);
        attributes.put("activation_type", Attribute.of("swiglu"));
        attributes.put("swiglu_fusion", Attribute.of(fusion));
        attributes.put("k", Attribute.of(3));
        check();
        attributes.put("swiglu_limit", Attribute.of(0.4f));
        attributes.put("activation_alpha", Attribute.of(1.702f));
        attributes.put("activation_beta", Attribute.of(1f));
        check();
    }

    @ParameterizedTest
    @CsvSource({"swiglu", "silu", "relu"})
    void valuesInAThirdLayer(String activation) {
        layer(0, INNER, WIDTH, true, false);
        layer(1, WIDTH, INNER, false, true);
        layer(2, INNER, WIDTH, true, true);
        attributes.put("activation_type", Attribute.of(activation));
        check();
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"FLOAT", "FLOAT16", "BFLOAT16"})
    void weightsAreFloats(ElementType type) {
        floats = type;
        layer(0, INNER, WIDTH, false, true);
        layer(1, WIDTH, INNER, false, false);
        attributes.put("activation_type", Attribute.of("silu"));
        attributes.put("k", Attribute.of(2));
        check();
        layer(2, INNER, WIDTH, false, true);
        attributes.put("activation_type", Attribute.of("swiglu"));
        check();
        weights[6] = null;
        weights[7] = null;
        layer(0, 2 * INNER, WIDTH, false, true);
        for (int fusion = 1; fusion <= 2; fusion++) {
            attributes.put("swiglu_fusion", Attribute.of(fusion));
            check();
        }
    }

    /** The later expert is chosen of those with equal scores. */
    @Test
    void scoresAreEqual() {
        layer(0, INNER, WIDTH, false, false);
        layer(1, WIDTH, INNER, false, false);
        attributes.put("k", Attribute.of(2));
        try (Comparison both = new Comparison(this::graph)) {
            both.agreesOn(Comparison.random(random, 3, WIDTH), Tensor.copyOf(new float[3 * EXPERTS], 3, EXPERTS))
                    .withoutFallback();
        }
    }
}
