package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Convolutions by weights that only a run knows. */
class VaryingConvTest {
    private final Random random = new Random(29);

    @ParameterizedTest
    @CsvSource({"Conv, 1", "Conv, 3", "ConvTranspose, 1", "ConvTranspose, 3"})
    void imagesAgree(String op, int groups) {
        for (int i = 0; i < 12; i++) {
            int channels = groups * (1 + random.nextInt(20));
            int filters = groups * (1 + random.nextInt(20));
            boolean forward = op.equals("Conv");
            long stride = 1 + random.nextInt(2);
            boolean withBias = random.nextBoolean();
            long[] weights = forward
                    ? new long[] {filters, channels / groups, 3, 2}
                    : new long[] {channels, filters / groups, 3, 2};
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 13);
                Value x = Comparison.floats(editor, "x", 4);
                Value w = Comparison.floats(editor, "w", 4);
                Value b = Comparison.floats(editor, "b", 1);
                Attributes attributes = Attributes.of("strides", Attribute.of(stride, stride))
                        .with("pads", Attribute.of(1, 0, 1, 1))
                        .with("group", Attribute.of(groups));
                Value conv = nodes.add(op, attributes, x, w, withBias ? b : null);
                nodes.output(nodes.add("Relu", Attributes.NONE, conv));
            })) {
                both.agreesOn(
                                Comparison.random(random, 2, channels, 6, 5),
                                Comparison.random(random, weights),
                                Comparison.random(random, filters))
                        .withoutFallback();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"16, 16", "20, 20", "4, 4"})
    void channelsByThemselvesAgree(int channels, int groups) {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 4);
            Value w = Comparison.floats(editor, "w", 4);
            nodes.output(nodes.add("Conv", Attributes.of("group", Attribute.of(groups)), x, w));
        })) {
            both.agreesOn(Comparison.random(random, 1, channels, 9, 7), Comparison.random(random, channels, 1, 3, 3))
                    .withoutFallback();
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "8"})
    void signalsAgree(int channels) {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 3);
            Value w = Comparison.floats(editor, "w", 3);
            nodes.output(nodes.add("Conv", Attributes.NONE, x, w));
        })) {
            both.agreesOn(Comparison.random(random, 1, channels, 90), Comparison.random(random, 24, channels, 5))
                    .withoutFallback();
        }
    }
}
