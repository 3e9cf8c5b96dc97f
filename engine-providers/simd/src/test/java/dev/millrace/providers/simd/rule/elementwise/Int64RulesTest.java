package dev.millrace.providers.simd.rule.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Numbers of 64 bits, by kernels where there are many of them. */
class Int64RulesTest {
    private static final List<String> OPERATORS =
            List.of("Add", "Sub", "Mul", "Max", "Min", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual");

    private static final long[][][] SHAPES = {
        {{30, 40}, {30, 40}},
        {{30, 40}, {40}},
        {{30, 1}, {1, 40}},
        {{30, 40}, {}},
        {{1}, {30, 40}},
        {{6, 5, 40}, {5, 1}},
        {{6, 1, 41}, {6, 5, 1}}
    };

    private final Random random = new Random(6);

    /** Few different numbers, so that many are equal. */
    private Tensor repeated(ElementType type, long... dims) {
        return type == ElementType.DOUBLE
                ? RandomTensors.reals(type, Shape.of(dims), () -> random.nextInt(9) / 2.0 - 2)
                : RandomTensors.whole(type, Shape.of(dims), () -> random.nextInt(9) - 4L << random.nextInt(2) * 40);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT64", "DOUBLE"})
    void areComputedLikeByTheReference(ElementType type) {
        for (long[][] shapes : SHAPES) {
            var graph = new SmallGraph();
            Value x = graph.input(repeated(type, shapes[0]));
            Value y = graph.input(repeated(type, shapes[1]));
            for (String operator : OPERATORS) {
                graph.output(graph.node(operator, 18, Map.of(), x, y));
            }
            if (type == ElementType.DOUBLE) {
                graph.output(graph.node("Div", 18, Map.of(), x, y));
            }
            graph.check(0);
            assertThat(graph.kernels()).allMatch(kernel -> kernel.startsWith("elementwise.wide"));
        }
    }

    @Test
    void aMaskOfPlacesIsOneStep() {
        var graph = new SmallGraph();
        Value rows = graph.input(repeated(ElementType.INT64, 64, 1));
        Value columns = graph.input(repeated(ElementType.INT64, 1, 64));
        graph.output(graph.node("GreaterOrEqual", 16, Map.of(), rows, columns));
        graph.check(0);
        assertThat(graph.kernels()).hasSize(1);
    }
}
