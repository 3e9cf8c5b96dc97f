package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions of numbers so large that they have reached their limits. */
class LargeNumbersTest {
    private static final int OPSET = 21;
    private static final float[] LARGE = {40, 60, 100, 65504, 1e9f, 1e30f, Float.MAX_VALUE, Float.POSITIVE_INFINITY};

    private static void agreesWithEitherSign(String op, Attributes attributes) {
        float[] negative = new float[LARGE.length];
        for (int i = 0; i < LARGE.length; i++) {
            negative[i] = -LARGE[i];
        }
        agrees(op, attributes, Tensor.copyOf(LARGE, LARGE.length));
        // separately, since errors are measured by the largest result
        agrees(op, attributes, Tensor.copyOf(negative, LARGE.length));
    }

    private static void agrees(String op, Attributes attributes, Tensor values) {
        try (var both = new Comparison(editor -> {
            NodeSpec spec = NodeSpec.of(OpId.onnx(op), OPSET, Comparison.floats(editor, "x", 1))
                    .with(attributes);
            editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        })) {
            both.agreesOn(values).withoutFallback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Erf", "Tanh", "Sigmoid", "Softplus", "Softsign", "Gelu", "Mish", "HardSwish"})
    void functionsThatTendToSomethingReachIt(String op) {
        agreesWithEitherSign(op, Attributes.NONE);
    }

    @Test
    void anApproximateGeluDoesToo() {
        agreesWithEitherSign("Gelu", Attributes.of("approximate", Attribute.of("tanh")));
    }

    /** A run repeats decisions of another only where they hold for the numbers of both. */
    @ParameterizedTest
    @ValueSource(longs = {1, 40})
    void normsOfWindowsAreLookedAtInEachRun(long channels) {
        Attributes window = Attributes.of("kernel_shape", Attribute.of(2L, 2L));
        try (var both = new Comparison(editor -> {
            NodeSpec spec = NodeSpec.of(OpId.onnx("LpPool"), OPSET, Comparison.floats(editor, "x", 4))
                    .with(window);
            editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        })) {
            for (float size : new float[] {1, 2, 3, 1e25f, 1, 1e-30f, 1e30f}) {
                float[] numbers = new float[Math.toIntExact(channels) * 20];
                Arrays.fill(numbers, size);
                both.agreesOn(Tensor.copyOf(numbers, 1, channels, 4, 5)).withoutFallback();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"Softmax, 1e17", "LogSoftmax, 1e17", "LogSoftmax, -1e17", "LogSoftmax, 3e38", "LogSoftmax, -3e38"})
    void equalNumbersShareWhatTheirSizeIs(String op, float size) {
        agrees(op, Attributes.NONE, Tensor.copyOf(new float[] {size, size}, 2));
    }
}
