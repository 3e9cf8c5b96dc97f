package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReduceRulesTest {
    private static final List<String> OPERATORS = List.of(
            "ReduceSum",
            "ReduceMean",
            "ReduceMax",
            "ReduceMin",
            "ReduceProd",
            "ReduceSumSquare",
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp");

    private final Random random = new Random(3);

    private Tensor positive(long... dims) {
        float[] values = SmallGraph.random(random, dims).floats();
        for (int i = 0; i < values.length; i++) {
            values[i] = Math.abs(values[i]) + 0.1f;
        }
        return Tensor.copyOf(values, dims);
    }

    @Test
    void allOperatorsOverAllSetsOfAxes() {
        List<long[]> sets = List.of(
                new long[] {0}, new long[] {1}, new long[] {-1}, new long[] {0, 2}, new long[] {2, 1}, new long[] {
                    -3, 1, 2
                });
        for (String operator : OPERATORS) {
            var graph = new SmallGraph();
            Value in = graph.input(positive(3, 4, 17));
            for (long[] axes : sets) {
                Value value = graph.constant(Tensor.copyOf(axes, axes.length));
                graph.output(
                        graph.node(operator, 18, Map.of(), in, value),
                        graph.node(operator, 18, Map.of("keepdims", Attribute.of(0)), in, value));
            }
            graph.output(graph.node(operator, 18, Map.of(), in));
            graph.check(2e-5);
        }
    }

    @Test
    void extremesOfNarrowIntsAndOfTruths() {
        byte[] bytes = new byte[3 * 4 * 17];
        random.nextBytes(bytes);
        boolean[] truths = new boolean[bytes.length];
        for (int i = 0; i < truths.length; i++) {
            truths[i] = bytes[i] > 0;
        }
        var graph = new SmallGraph();
        for (Tensor numbers : List.of(Tensor.copyOf(bytes, 3, 4, 17), Tensor.copyOf(truths, 3, 4, 17))) {
            Value in = graph.input(numbers);
            for (long[] axes : List.of(new long[] {2}, new long[] {2, 1}, new long[] {0, 1, 2}, new long[] {1})) {
                Value value = graph.constant(Tensor.copyOf(axes, axes.length));
                graph.output(
                        graph.node("ReduceMax", 20, Map.of(), in, value),
                        graph.node("ReduceMin", 20, Map.of("keepdims", Attribute.of(0)), in, value));
            }
        }
        graph.check(0);
    }

    @Test
    void axesAsAttributeAndNone() {
        var graph = new SmallGraph();
        Value in = graph.input(positive(3, 1, 17));
        Value none = graph.constant(Tensor.copyOf(new long[0], 0));
        graph.output(
                graph.node("ReduceMean", 13, Map.of("axes", Attribute.of(1L, 2L)), in),
                graph.node("ReduceL2", 13, Map.of(), in),
                graph.node("ReduceMax", 18, Map.of("noop_with_empty_axes", Attribute.of(1)), in, none),
                graph.node("ReduceSum", 13, Map.of(), in, none));
        graph.check(2e-5);
    }

    @Test
    void ofIntsAndDoubles() {
        var graph = new SmallGraph();
        Value longs = graph.input(Tensor.copyOf(new long[] {5, -7, 3, 1L << 40, 2, -9}, 2, 3));
        Value ints = graph.input(Tensor.copyOf(new int[] {5, -7, 3, 1 << 30, 1 << 30, 1 << 30}, 2, 3));
        Value doubles = graph.input(Tensor.copyOf(new double[] {5, -7, 3, 1e20, 2, -9}, 2, 3));
        for (Value in : List.of(longs, ints, doubles)) {
            for (String operator : List.of("ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd")) {
                Value axes = graph.constant(Tensor.copyOf(new long[] {1}, 1));
                graph.output(graph.node(operator, 18, Map.of(), in, axes));
            }
        }
        graph.check(1e-12);
    }

    @Test
    void nanAndInfinity() {
        float[] values = {1, Float.NaN, 2, Float.POSITIVE_INFINITY, 1, Float.NEGATIVE_INFINITY, 3, 4, 5};
        for (String operator : List.of("ReduceMax", "ReduceMin", "ReduceSum", "ReduceLogSumExp")) {
            var graph = new SmallGraph();
            Value in = graph.input(Tensor.copyOf(values, 3, 3));
            for (long axis : new long[] {0, 1}) {
                Value axes = graph.constant(Tensor.copyOf(new long[] {axis}, 1));
                graph.output(graph.node(operator, 18, Map.of(), in, axes));
            }
            graph.check(1e-6);
        }
    }

    @Test
    void imagesInBlocksArePooled() {
        var graph = new SmallGraph();
        Value in = graph.input(SmallGraph.random(random, 2, 16, 9, 7));
        Value weights = graph.constant(SmallGraph.random(random, 33, 16, 3, 3));
        Value images = graph.node("Conv", 11, Map.of(), in, weights);
        Value axes = graph.constant(Tensor.copyOf(new long[] {2, 3}, 2));
        graph.output(
                graph.node("ReduceMean", 18, Map.of(), images, axes),
                graph.node("ReduceMax", 18, Map.of(), images, axes),
                graph.node("ReduceMean", 18, Map.of("keepdims", Attribute.of(0)), images, axes));
        graph.check(1e-5);
    }
}
