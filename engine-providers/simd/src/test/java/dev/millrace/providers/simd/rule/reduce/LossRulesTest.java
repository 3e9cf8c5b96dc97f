package dev.millrace.providers.simd.rule.reduce;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LossRulesTest {
    private static final long CLASSES = 5;

    private final Random random = new Random(4);

    private static NodeSpec loss(@Nullable Integer ignored, String reduction, Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx("NegativeLogLikelihoodLoss"), 13, inputs)
                .with("reduction", Attribute.of(reduction));
        return ignored == null ? spec : spec.with("ignore_index", Attribute.of(ignored));
    }

    private static void add(GraphEditor editor, int rank, ElementType type, @Nullable Integer ignored) {
        Value scores = Comparison.floats(editor, "scores", rank);
        Value labels = Comparison.input(editor, "labels", type, rank - 1);
        Value weights = Comparison.floats(editor, "weights", 1);
        for (String reduction : List.of("none", "sum", "mean")) {
            NodeSpec plain = loss(ignored, reduction, scores, labels);
            NodeSpec weighted = loss(ignored, reduction, scores, labels, weights);
            for (NodeSpec spec : List.of(plain, weighted)) {
                String name = reduction + spec.inputs().size();
                editor.addOutput(name, editor.append(spec, List.of(name)).requireOutput(0));
            }
        }
    }

    private static Tensor labels(ElementType type, int[] numbers, long... dims) {
        Tensor labels = Tensor.copyOf(numbers, dims);
        if (type == ElementType.INT32) {
            return labels;
        }
        long[] wide = new long[numbers.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = numbers[i];
        }
        return Tensor.copyOf(wide, dims);
    }

    private Tensor weights() {
        return Tensor.copyOf(new float[] {0.5f, 1, 2, 0.25f, 3}, CLASSES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void lossesAreThoseOfTheReference(boolean wide) {
        ElementType type = wide ? ElementType.INT64 : ElementType.INT32;
        for (Integer ignored : new @Nullable Integer[] {null, 2, -7}) {
            int other = ignored == null ? 1 : ignored;
            try (var flat = new Comparison(editor -> add(editor, 2, type, ignored));
                    var images = new Comparison(editor -> add(editor, 4, type, ignored))) {
                flat.agreesOn(
                                Comparison.random(random, 4, CLASSES),
                                labels(type, new int[] {4, 0, other, 3}, 4),
                                weights())
                        .withoutFallback();
                int[] numbers = random.ints(2 * 3 * 7, 0, (int) CLASSES).toArray();
                numbers[5] = other;
                images.agreesOn(Comparison.random(random, 2, CLASSES, 3, 7), labels(type, numbers, 2, 3, 7), weights())
                        .withoutFallback();
            }
        }
    }

    @Test
    void whatIsIgnoredMayBeNoNumber() {
        float[] numbers = {Float.NaN, 1, 2, 3, 4, 5, 6, 7, 8, Float.POSITIVE_INFINITY};
        Tensor weights = Tensor.copyOf(new float[] {Float.NaN, 1, 2, 0.25f, 3}, CLASSES);
        int[] labels = {0, 3};
        for (int ignored : new int[] {0, -7}) {
            labels[0] = ignored;
            try (var both = new Comparison(editor -> add(editor, 2, ElementType.INT64, ignored))) {
                both.agreesOn(Tensor.copyOf(numbers, 2, CLASSES), labels(ElementType.INT64, labels, 2), weights)
                        .withoutFallback();
            }
        }
    }

    @Test
    void labelsOfNoClassAreRefused() {
        for (long label : new long[] {-1, CLASSES, 1L << 32, Long.MIN_VALUE}) {
            try (var comparison = new Comparison(editor -> add(editor, 2, ElementType.INT64, null))) {
                assertThatThrownBy(() -> comparison.agreesOn(
                                Comparison.random(random, 1, CLASSES), Tensor.copyOf(new long[] {label}, 1), weights()))
                        .hasMessageContaining("NegativeLogLikelihoodLoss");
            }
        }
    }
}
