package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PowerTest {
    private static Tensor of(ElementType type, Tensor floats) {
        Tensor result = Tensor.allocate(type, floats.shape());
        Elements.write(type, result.segment(), 0, floats.floats(), 0, (int) floats.elements());
        return result;
    }

    /** Squares, cubes and roots do not read the exponent. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "FLOAT16", "BFLOAT16"})
    void knownExponents(ElementType type) {
        for (float exponent : new float[] {2, 3, 0.5f, 1.5f}) {
            var graph = new SmallGraph();
            float[] values = SmallGraph.random(new Random(3), 60).floats();
            for (int i = 0; i < values.length; i++) {
                values[i] = Math.abs(values[i]);
            }
            Value in = graph.input(of(type, Tensor.copyOf(values, 3, 20)));
            Tensor known = of(type, Tensor.copyOf(new float[] {exponent}, 1));
            Value power = graph.node("Pow", 15, Map.of(), in, graph.constant(known.reshaped(Shape.of())));
            graph.output(graph.node("Relu", 14, Map.of(), power));
            graph.check(type == ElementType.FLOAT ? 1e-6 : 1e-2);
        }
    }

    /** One exponent for many numbers is looked at by each run. */
    @Test
    void exponentsOfTheRun() {
        float[] values = SmallGraph.random(new Random(5), 9_000).floats();
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.abs(values[i]) + 0.1f;
        }
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 15);
            Value base = Comparison.floats(editor, "x", 2);
            Value exponent = Comparison.floats(editor, "y", 1);
            nodes.output(nodes.add("Relu", Attributes.NONE, nodes.add("Pow", Attributes.NONE, base, exponent)));
        })) {
            for (float exponent : new float[] {2, 3, 0.5f, -1.5f, 0}) {
                both.agreesOn(Tensor.copyOf(values, 3, 3_000), Tensor.copyOf(new float[] {exponent}, 1))
                        .withoutFallback();
            }
        }
    }

    @Test
    void aRootOfWhatIsBelowAllNumbersIsAPower() {
        float[] values = new float[9_000];
        Arrays.fill(values, Float.NEGATIVE_INFINITY);
        values[0] = -0.0f;
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 15);
            Value base = Comparison.floats(editor, "x", 2);
            nodes.output(nodes.add("Pow", Attributes.NONE, base, Comparison.floats(editor, "y", 1)));
        })) {
            both.agreesOn(Tensor.copyOf(values, 3, 3_000), Tensor.copyOf(new float[] {0.5f}, 1))
                    .withoutFallback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT32", "INT64", "UINT8"})
    void exponentsThatAreInts(ElementType type) {
        var graph = new SmallGraph();
        Value in = graph.input(SmallGraph.random(new Random(4), 3, 20));
        float[] exponents = new float[20];
        for (int i = 0; i < exponents.length; i++) {
            exponents[i] = type == ElementType.UINT8 ? i : i - 10;
        }
        Value whole = graph.input(of(type, Tensor.copyOf(exponents, 20)));
        graph.output(graph.node("Pow", 15, Map.of(), in, whole));
        graph.check(1e-6);
    }
}
