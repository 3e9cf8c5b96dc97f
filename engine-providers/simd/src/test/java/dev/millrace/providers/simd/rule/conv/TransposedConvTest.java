package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TransposedConvTest {
    private final Random random = new Random(13);

    private void agrees(Attributes attributes, int group, boolean withBias) {
        int channels = group * (1 + random.nextInt(20));
        int ofGroup = 1 + random.nextInt(20);
        long[] kernel = {1 + random.nextInt(4), 1 + random.nextInt(4)};
        Tensor weights = Comparison.random(random, channels, ofGroup, kernel[0], kernel[1]);
        Tensor bias = Comparison.random(random, group * ofGroup);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 4);
            Value conv = nodes.add(
                    "ConvTranspose",
                    attributes.with("group", Attribute.of(group)),
                    x,
                    nodes.constant(weights),
                    withBias ? nodes.constant(bias) : null);
            nodes.output(nodes.add("LeakyRelu", Attributes.NONE, conv));
        })) {
            both.agreesOn(Comparison.random(random, 2, channels, 5, 6))
                    .agreesOn(Comparison.random(random, 1, channels, 7, 4));
        }
    }

    @Test
    void stridesDilationsPadsAndGroupsAgree() {
        for (int i = 0; i < 40; i++) {
            long stride = 1 + random.nextInt(3);
            long dilation = 1 + random.nextInt(2);
            Attributes attributes = Attributes.of("strides", Attribute.of(stride, stride))
                    .with("dilations", Attribute.of(dilation, dilation))
                    .with("pads", Attribute.of(random.nextInt(2), 0, 0, random.nextInt(2)))
                    .with("output_padding", Attribute.of(random.nextLong(stride), random.nextLong(stride)));
            agrees(attributes, 1 + random.nextInt(2), random.nextBoolean());
        }
    }

    /** A huge stride: each remainder would be a convolution of its own. */
    @Test
    @Timeout(20)
    void strideIsAsLongAsItLikes() {
        Tensor weights = Comparison.random(random, 3, 2, 2, 2);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 4);
            Attributes strides = Attributes.of("strides", Attribute.of(2, 100_000));
            nodes.output(nodes.add("ConvTranspose", strides, x, nodes.constant(weights)));
        })) {
            both.agreesOn(Comparison.random(random, 1, 3, 2, 2));
        }
    }

    /** The packing of the same weights depends on the strides, whose remainders it is divided by. */
    @Test
    void weightsThatSeveralReadArePackedForEach() {
        Tensor weights = Comparison.random(random, 4, 2, 3, 3);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 4);
            Value filters = nodes.constant(weights);
            for (Attributes attributes : List.of(
                    Attributes.NONE,
                    Attributes.of("strides", Attribute.of(2, 1)),
                    Attributes.of("strides", Attribute.of(1, 2)),
                    Attributes.of("strides", Attribute.of(2, 1)).with("pads", Attribute.of(1, 0, 1, 0)),
                    Attributes.of("strides", Attribute.of(3, 1)).with("dilations", Attribute.of(2, 1)),
                    Attributes.of("strides", Attribute.of(3, 1)),
                    Attributes.of("group", Attribute.of(2)))) {
                nodes.output(nodes.add("ConvTranspose", attributes, x, filters));
            }
        })) {
            both.agreesOn(Comparison.random(random, 2, 4, 5, 6)).agreesOn(Comparison.random(random, 1, 4, 1, 1));
        }
    }

    @Test
    void automaticPadsAgree() {
        for (String pad : new String[] {"SAME_UPPER", "SAME_LOWER", "VALID"}) {
            agrees(Attributes.of("auto_pad", Attribute.of(pad)).with("strides", Attribute.of(2, 2)), 1, true);
        }
    }

    /** Windows that adjoin, of few channels: each tap is a channel. */
    @Test
    void windowsSideBySideAgree() {
        for (int i = 0; i < 24; i++) {
            long[] strides = random.longs(1 + i % 3, 1, 4).toArray();
            toFewChannels(strides, strides, Attributes.NONE);
        }
    }

    /** Windows of several strides, and cut off at both ends. */
    @Test
    void windowsThatOverlapAgree() {
        for (int i = 0; i < 40; i++) {
            int spatial = 1 + i % 3;
            long[] strides = random.longs(spatial, 1, 5).toArray();
            long[] kernel = random.longs(spatial, 1, 10).toArray();
            long[] pads = random.longs(2 * spatial, 0, 3).toArray();
            toFewChannels(kernel, strides, Attributes.of("pads", Attribute.of(pads)));
        }
    }

    /** Long windows of many channels, as vocoders use to turn spectra into sound. */
    @Test
    void longWindowsOfManyChannelsAgree() {
        Tensor weights = Comparison.random(random, 130, 1, 512);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 3);
            Attributes strides = Attributes.of("strides", Attribute.of(new long[] {128}));
            nodes.output(nodes.add("ConvTranspose", strides, x, nodes.constant(weights)));
        })) {
            both.agreesOn(Comparison.random(random, 2, 130, 9)).withoutFallback();
        }
    }

    private void toFewChannels(long[] kernel, long[] strides, Attributes pads) {
        int group = 1 + random.nextInt(2);
        int channels = group * (1 + random.nextInt(20));
        int ofGroup = 1 + random.nextInt(3);
        long[] dims = LongStream.concat(LongStream.of(channels, ofGroup), LongStream.of(kernel))
                .toArray();
        Tensor weights = Comparison.random(random, dims);
        Tensor bias = random.nextBoolean() ? Comparison.random(random, group * ofGroup) : null;
        boolean added = random.nextInt(3) == 0;
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 2 + kernel.length);
            Attributes attributes = pads.with("group", Attribute.of(group)).with("strides", Attribute.of(strides));
            Value value = bias == null ? null : nodes.constant(bias);
            Value conv = nodes.add("ConvTranspose", attributes, x, nodes.constant(weights), value);
            Value after = nodes.add("Sigmoid", Attributes.NONE, conv);
            nodes.output(added ? nodes.add("Add", Attributes.NONE, conv, after) : after);
        })) {
            long[] image = LongStream.concat(LongStream.of(2, channels), random.longs(kernel.length, 5, 12))
                    .toArray();
            both.agreesOn(Comparison.random(random, image)).withoutFallback();
        }
    }
}
