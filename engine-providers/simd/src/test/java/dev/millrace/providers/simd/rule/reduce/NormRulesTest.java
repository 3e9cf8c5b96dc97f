package dev.millrace.providers.simd.rule.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import dev.millrace.providers.simd.rule.SmallGraph;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NormRulesTest {
    private final Random random = new Random(2);

    @Test
    void layersFromEveryAxisOn() {
        long[] dims = {2, 3, 5, 17};
        for (int axis = -4; axis < 4; axis++) {
            int first = Math.floorMod(axis, 4);
            long[] row = Arrays.copyOfRange(dims, first, 4);
            var graph = new SmallGraph();
            var results = graph.nodes(
                    3,
                    "LayerNormalization",
                    17,
                    Map.of("axis", Attribute.of(axis), "epsilon", Attribute.of(1e-3f)),
                    graph.input(SmallGraph.random(random, dims)),
                    graph.constant(SmallGraph.random(random, row)),
                    graph.input(SmallGraph.random(random, row)));
            graph.output(results.get(0), results.get(2));
            graph.check(1e-5);
        }
    }

    @Test
    void rootMeanSquareWithoutStatistics() {
        var graph = new SmallGraph();
        var in = graph.input(SmallGraph.random(random, 4, 31));
        var scale = graph.input(SmallGraph.random(random, 31));
        graph.output(graph.node("RMSNormalization", 23, Map.of(), in, scale));
        graph.check(1e-5);
    }

    @Test
    void aSumThatNobodyElseReadsIsDoneOnTheWay() {
        var graph = new SmallGraph();
        var sum = sum(graph, 6, 40);
        graph.output(normalised(graph, sum));
        graph.check(1e-5);
        assertThat(graph.kernels()).singleElement().asString().contains("skip=1");
    }

    @Test
    void aSumThatIsReadLaterIsKept() {
        var graph = new SmallGraph();
        var sum = sum(graph, 6, 40);
        graph.output(graph.node("Sub", 14, Map.of(), sum, normalised(graph, sum)), sum);
        graph.check(1e-5);
        assertThat(graph.kernels().getFirst()).contains("skip=1");
    }

    @Test
    void aSumOfDifferentShapesIsNone() {
        var graph = new SmallGraph();
        var sum = sum(graph, 40);
        graph.output(normalised(graph, sum));
        graph.check(1e-5);
    }

    /** Adds an addend of {@code dims} to an input of six rows. */
    private Value sum(SmallGraph graph, long... dims) {
        var rows = graph.input(SmallGraph.random(random, 6, 40));
        return graph.node("Add", 14, Map.of(), rows, graph.input(SmallGraph.random(random, dims)));
    }

    private Value normalised(SmallGraph graph, Value in) {
        return graph.node(
                "LayerNormalization",
                17,
                Map.of(),
                in,
                graph.constant(SmallGraph.random(random, 40)),
                graph.constant(SmallGraph.random(random, 40)));
    }

    @Test
    void skipsWithBiasAndSum() {
        for (boolean kept : new boolean[] {false, true}) {
            for (boolean biased : new boolean[] {false, true}) {
                for (long[] skip : List.of(new long[] {2, 3, 24}, new long[] {1, 3, 24})) {
                    var graph = new SmallGraph();
                    var results = graph.nodes(
                            new OpId(OpId.MICROSOFT, "SkipLayerNormalization"),
                            4,
                            1,
                            Map.of(),
                            graph.input(SmallGraph.random(random, 2, 3, 24)),
                            graph.input(SmallGraph.random(random, skip)),
                            graph.constant(SmallGraph.random(random, 24)),
                            graph.constant(SmallGraph.random(random, 24)),
                            biased ? graph.constant(SmallGraph.random(random, 24)) : null);
                    graph.output(results.getFirst());
                    if (kept) {
                        graph.output(results.getLast());
                    }
                    graph.check(1e-5);
                }
            }
        }
    }

    @Test
    void instancesAndGroupsOfChannels() {
        for (long[] dims : List.of(new long[] {2, 6, 5, 7}, new long[] {1, 6, 3}, new long[] {3, 6, 1, 1, 9})) {
            var graph = new SmallGraph();
            var in = graph.input(SmallGraph.random(random, dims));
            var scale = graph.constant(SmallGraph.random(random, 6));
            var bias = graph.input(SmallGraph.random(random, 6));
            var ofGroups = graph.constant(SmallGraph.random(random, 3));
            Map<String, Attribute> three = Map.of("num_groups", Attribute.of(3));
            graph.output(
                    graph.node("InstanceNormalization", 22, Map.of(), in, scale, bias),
                    graph.node("GroupNormalization", 21, three, in, scale, bias),
                    graph.node("GroupNormalization", 18, three, in, ofGroups, ofGroups));
            graph.check(2e-5);
        }
    }

    @Test
    void batchesAreOneExpressionWithWhatFollows() {
        var graph = new SmallGraph();
        var in = graph.input(SmallGraph.random(random, 2, 5, 3, 3));
        float[] variances = {0.5f, 1, 2, 0.1f, 3};
        var result = graph.node(
                "BatchNormalization",
                15,
                Map.of(),
                in,
                graph.constant(SmallGraph.random(random, 5)),
                graph.constant(SmallGraph.random(random, 5)),
                graph.constant(SmallGraph.random(random, 5)),
                graph.constant(Tensor.copyOf(variances, 5)));
        graph.output(graph.node("Relu", 14, Map.of(), result));
        graph.check(1e-5);
        assertThat(graph.kernels()).hasSize(1);
    }

    @Test
    void batchesInTrainingMoveRunningStatistics() {
        for (long[] dims : new long[][] {{2, 5, 3, 4}, {6, 5}}) {
            var graph = new SmallGraph();
            var in = graph.input(SmallGraph.random(random, dims));
            float[] variances = {0.5f, 1, 2, 0.1f, 3};
            var results = graph.nodes(
                    3,
                    "BatchNormalization",
                    15,
                    Map.of("training_mode", Attribute.of(1), "momentum", Attribute.of(0.75f)),
                    in,
                    graph.input(SmallGraph.random(random, 5)),
                    graph.constant(SmallGraph.random(random, 5)),
                    graph.input(SmallGraph.random(random, 5)),
                    graph.input(Tensor.copyOf(variances, 5)));
            graph.output(results.get(0), results.get(1), results.get(2));
            graph.check(1e-5);
        }
    }

    @Test
    void lengthsAndVariancesOfAxes() {
        var graph = new SmallGraph();
        var in = graph.input(SmallGraph.random(random, 2, 3, 4, 5));
        var zeros = graph.input(Tensor.copyOf(new float[6], 2, 3));
        var column = graph.input(SmallGraph.random(random, 3, 5, 7, 1));
        graph.output(
                graph.node("LpNormalization", 22, Map.of("axis", Attribute.of(1)), in),
                graph.node("LpNormalization", 22, Map.of("p", Attribute.of(1)), in),
                graph.node("LpNormalization", 22, Map.of(), zeros),
                graph.node("MeanVarianceNormalization", 13, Map.of(), in),
                graph.node("MeanVarianceNormalization", 13, Map.of(), column),
                graph.node("MeanVarianceNormalization", 13, Map.of("axes", Attribute.of(-1L, 1L)), in));
        graph.check(1e-5);
    }

    @Test
    void lengthsBeyondWhatFloatsHold() {
        for (float size : new float[] {3e38f, 1e30f, 1e-30f, 1e-44f}) {
            float[] numbers = new float[2 * 3 * 4 * 5];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = size * (random.nextInt(3) - 1) + size / 3 * random.nextFloat();
            }
            numbers[0] = size;
            var graph = new SmallGraph();
            var in = graph.input(Tensor.copyOf(numbers, 2, 3, 4, 5));
            graph.output(
                    graph.node("LpNormalization", 22, Map.of("axis", Attribute.of(1)), in),
                    graph.node("LpNormalization", 22, Map.of(), in),
                    graph.node("LpNormalization", 22, Map.of("p", Attribute.of(1)), in),
                    graph.node("MeanVarianceNormalization", 13, Map.of(), in),
                    graph.node("MeanVarianceNormalization", 13, Map.of("axes", Attribute.of(-1L, 1L)), in));
            graph.check(1e-5);
        }
    }

    @Test
    void lengthsOfWhatIsInfiniteOrNoNumber() {
        float[] numbers = {1, Float.POSITIVE_INFINITY, 2, 3, Float.NaN, 4, 0, -0f, 0};
        var graph = new SmallGraph();
        var in = graph.input(Tensor.copyOf(numbers, 3, 3));
        graph.output(
                graph.node("LpNormalization", 22, Map.of(), in),
                graph.node("LpNormalization", 22, Map.of("p", Attribute.of(1)), in));
        graph.check(1e-5);
    }

    @Test
    void statisticsAreThereWithoutWhatTheyAreOf() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 17);
            var in = Comparison.floats(editor, "x", 2);
            var spec = NodeSpec.of(OpId.onnx("LayerNormalization"), 17, in, nodes.constant(1f, 2f, 3f));
            nodes.output(editor.append(spec, Arrays.asList(null, "mean")).requireOutput(1));
        })) {
            both.agreesOn(Comparison.random(random, 4, 3));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "5, 0.0001, 0.75, 1, 20, 63",
        "4, 0.9, 0.75, 2, 3, 9",
        "1, 0.5, 0.5, 1, 7, 40",
        "9, 2, 1.3, 0.5, 4, 1",
        "40, 1, 0.75, 0.1, 33, 130"
    })
    void neighboursInOtherChannelsAreThoseOfTheReference(
            long size, float alpha, float beta, float bias, long channels, long pixels) {
        for (long[] dims : new long[][] {{2, channels, pixels, 3}, {2, channels, pixels}, {pixels, channels}}) {
            var graph = new SmallGraph();
            Map<String, Attribute> around = Map.of(
                    "size", Attribute.of(size),
                    "alpha", Attribute.of(alpha),
                    "beta", Attribute.of(beta),
                    "bias", Attribute.of(bias));
            Value in = graph.input(SmallGraph.random(random, dims));
            Value negative = graph.node("Neg", 13, Map.of(), in);
            graph.output(graph.node("LRN", 13, around, in), graph.node("LRN", 13, around, negative));
            graph.check(1e-6);
            assertThat(graph.kernels()).contains("pool of planes").noneMatch(kernel -> kernel.startsWith("cpu "));
        }
    }

    @Test
    void aPowerThatMagnifiesTheRoundingOfItsBaseIsLeftToTheProviderBehind() {
        Attributes around = Attributes.of("size", Attribute.of(3)).with("beta", Attribute.of(1e6f));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value root = nodes.add("Sqrt", Attributes.NONE, Comparison.floats(editor, "x", 3));
            nodes.output(nodes.add("LRN", around, root));
        })) {
            both.agreesOn(RandomTensors.uniform(random, 0, 1, 2, 8, 5));
            assertThat(both.kernels()).anyMatch(kernel -> kernel.startsWith("cpu "));
        }
    }

    @Test
    void neighboursInTooManyChannelsAreLeftToTheProviderBehind() {
        Attributes around = Attributes.of("size", Attribute.of(1L << 21));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value root = nodes.add("Sqrt", Attributes.NONE, Comparison.floats(editor, "x", 3));
            nodes.output(nodes.add("LRN", around, root));
        })) {
            both.agreesOn(Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 1, 3, 2));
            assertThat(both.kernels()).anyMatch(kernel -> kernel.startsWith("cpu "));
        }
    }
}
