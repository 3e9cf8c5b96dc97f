package dev.millrace.providers.simd.rule.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels of images in blocks that are joined, split, selected and reordered. */
class ChannelRulesTest {
    private final Random random = new Random(41);

    private static Value conv(Nodes nodes, Value x, int from, int to, boolean depthwise) {
        Tensor weights = Comparison.random(new Random(from + 100L * to), to, depthwise ? 1 : from, 3, 3);
        Attributes attributes =
                Attributes.of("pads", Attribute.of(1, 1, 1, 1)).with("group", Attribute.of(depthwise ? from : 1));
        return nodes.add("Conv", attributes, x, nodes.constant(weights));
    }

    private static Value reshape(Nodes nodes, Value x, long... dims) {
        return nodes.add("Reshape", Attributes.NONE, x, nodes.constant(dims));
    }

    private static Value shuffled(Nodes nodes, Value x, int groups, int channels, int side) {
        Value split = reshape(nodes, x, 0, groups, channels / groups, side, side);
        Value swapped = nodes.add("Transpose", Attributes.of("perm", Attribute.of(0, 2, 1, 3, 4)), split);
        return reshape(nodes, swapped, 0, channels, side, side);
    }

    private static Value slice(Nodes nodes, Value x, long from, long to, long step) {
        return nodes.add(
                "Slice",
                Attributes.NONE,
                x,
                nodes.constant(from),
                nodes.constant(to),
                nodes.constant(1L),
                nodes.constant(step));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shufflesAgree(int batch) {
        for (int groups : new int[] {2, 3, 4}) {
            int channels = groups * (1 + random.nextInt(20));
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = conv(nodes, Comparison.floats(editor, "x", 4), 5, channels, false);
                Value twice = shuffled(nodes, shuffled(nodes, x, groups, channels, 6), groups, channels, 6);
                nodes.output(conv(nodes, twice, channels, channels, true));
                nodes.output(nodes.add("Relu", Attributes.NONE, shuffled(nodes, x, groups, channels, 6)));
            })) {
                both.agreesOn(Comparison.random(random, batch, 5, 6, 6)).withoutFallback();
                assertThat(both.kernels()).contains("move of channels");
            }
        }
    }

    private static Value pointwise(Nodes nodes, Value x, int from, int to, int groups) {
        Tensor weights = Comparison.random(new Random(7L * from + to), to, from / groups, 1, 1);
        Tensor bias = Comparison.random(new Random(to), to);
        Attributes attributes = Attributes.of("group", Attribute.of(groups));
        return nodes.add("Conv", attributes, x, nodes.constant(weights), nodes.constant(bias));
    }

    /**
     * The channel shuffle of ShuffleNet: where groups are read in the order of the stored channels, nothing is moved.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void groupsOfShuffledChannelsAgree(int batch) {
        for (int groups : new int[] {2, 3, 4}) {
            int channels = groups * groups * (5 + random.nextInt(9));
            int side = 4 + random.nextInt(20);
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = conv(nodes, Comparison.floats(editor, "x", 4), 5, channels, false);
                Value first = nodes.add("Relu", Attributes.NONE, pointwise(nodes, x, channels, channels, groups));
                Value shuffled = shuffled(nodes, first, groups, channels, side);
                Value depthwise = nodes.add("Relu", Attributes.NONE, conv(nodes, shuffled, channels, channels, true));
                Value second = pointwise(nodes, depthwise, channels, channels, groups);
                nodes.output(nodes.add("Add", Attributes.NONE, second, x));
            })) {
                both.agreesOn(Comparison.random(random, batch, 5, side, side)).withoutFallback();
                assertThat(both.kernels())
                        .anyMatch(kernel -> kernel.contains("of moved channels"))
                        .doesNotContain("move of channels");
            }
        }
    }

    /** Channels that were computed in stored order are reordered for consumers that need their own order. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void depthwiseConvolutionsOfShuffledChannelsAgree(int batch) {
        int channels = 2 * (1 + random.nextInt(40));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = conv(nodes, Comparison.floats(editor, "x", 4), 5, channels, false);
            Value shuffled = shuffled(nodes, x, 2, channels, 7);
            Value depthwise = conv(nodes, shuffled, channels, channels, true);
            nodes.output(depthwise);
            nodes.output(conv(nodes, depthwise, channels, 9, false));
            nodes.output(shuffled(nodes, depthwise, 2, channels, 7));
            nodes.output(nodes.add("Add", Attributes.NONE, conv(nodes, shuffled, channels, channels, true), x));
        })) {
            both.agreesOn(Comparison.random(random, batch, 5, 7, 7)).withoutFallback();
        }
    }

    /** The channel split and shuffle of ShuffleNet v2. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void halvesOfChannelsAgree(int batch) {
        for (int half : new int[] {3, 29, 58}) {
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = conv(nodes, Comparison.floats(editor, "x", 4), 5, 2 * half, false);
                List<Value> halves = nodes.addSplit(
                        2, "Split", Attributes.of("axis", Attribute.of(1)), x, nodes.constant((long) half, (long)
                                half));
                Value branch = pointwise(nodes, halves.get(1), half, half, 1);
                Value whole = nodes.add("Concat", Attributes.of("axis", Attribute.of(1)), halves.get(0), branch);
                nodes.output(pointwise(nodes, shuffled(nodes, whole, 2, 2 * half, 9), 2 * half, 10, 1));
            })) {
                both.agreesOn(Comparison.random(random, batch, 5, 9, 9)).withoutFallback();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void whatIsPutTogetherAgrees(int batch) {
        for (int i = 0; i < 12; i++) {
            var channels = List.of(1 + random.nextInt(40), 1 + random.nextInt(40), 1 + random.nextInt(40));
            int zeros = 1 + random.nextInt(20);
            int all = channels.stream().mapToInt(count -> count).sum() + zeros;
            boolean inFront = random.nextBoolean();
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = Comparison.floats(editor, "x", 4);
                Value none = nodes.constant(Tensor.copyOf(new float[batch * zeros * 25], batch, zeros, 5, 5));
                List<Value> parts = new ArrayList<>();
                for (int count : channels) {
                    parts.add(conv(nodes, x, 4, count, false));
                }
                Value first = parts.getFirst();
                parts.add(inFront ? 0 : parts.size(), none);
                Value whole = nodes.add("Concat", Attributes.of("axis", Attribute.of(1)), parts.toArray(Value[]::new));
                nodes.output(conv(nodes, whole, all, 7, false));
                nodes.output(conv(nodes, nodes.add("Relu", Attributes.NONE, whole), all, all, true));
                nodes.output(conv(nodes, first, channels.getFirst(), 3, false));
            })) {
                both.agreesOn(Comparison.random(random, batch, 4, 5, 5)).withoutFallback();
            }
        }
    }

    /** The padding of blocks stays zero beside channels that are infinite. */
    @Test
    void infinitiesDoNotReachTheZerosBesideThem() {
        float[] image = new float[4 * 25];
        image[30] = Float.POSITIVE_INFINITY;
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = conv(nodes, Comparison.floats(editor, "x", 4), 4, 5, false);
            Value none = nodes.constant(Tensor.copyOf(new float[3 * 25], 1, 3, 5, 5));
            Value whole = nodes.add("Concat", Attributes.of("axis", Attribute.of(1)), x, none);
            nodes.output(conv(nodes, whole, 8, 8, true));
        })) {
            both.agreesOn(Tensor.copyOf(image, 1, 4, 5, 5)).withoutFallback();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void someOfThemAgree(int batch) {
        for (int i = 0; i < 12; i++) {
            int channels = 20 + random.nextInt(60);
            int from = random.nextInt(channels - 1);
            int to = from + 1 + random.nextInt(channels - from);
            int step = 1 + random.nextInt(3);
            int count = Math.ceilDiv(to - from, step);
            int cut = 1 + random.nextInt(channels - 1);
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = conv(nodes, Comparison.floats(editor, "x", 4), 4, channels, false);
                nodes.output(conv(nodes, slice(nodes, x, from, to, step), count, 6, false));
                List<Value> halves = nodes.addSplit(
                        2,
                        "Split",
                        Attributes.of("axis", Attribute.of(1)),
                        x,
                        nodes.constant((long) cut, channels - (long) cut));
                nodes.output(conv(nodes, halves.get(0), cut, cut, true));
                nodes.output(nodes.add("Sigmoid", Attributes.NONE, halves.get(1)));
            })) {
                both.agreesOn(Comparison.random(random, batch, 4, 5, 5)).withoutFallback();
            }
        }
    }

    /** Values that leave the blocks are computed in the order of their indices. */
    @Test
    void otherShapesOfThemAgree() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = conv(nodes, Comparison.floats(editor, "x", 4), 4, 24, false);
            Value split = reshape(nodes, x, 0, 3, 8, 5, 5);
            nodes.output(nodes.add("Transpose", Attributes.of("perm", Attribute.of(0, 1, 3, 4, 2)), split));
            nodes.output(reshape(nodes, split, 0, 24, 25));
            nodes.output(slice(nodes, split, 1, 3, 1));
            Value shuffled = shuffled(nodes, x, 4, 24, 5);
            nodes.output(nodes.add("Transpose", Attributes.of("perm", Attribute.of(0, 2, 3, 1)), shuffled));
        })) {
            both.agreesOn(Comparison.random(random, 2, 4, 5, 5)).withoutFallback();
        }
    }
}
