package dev.millrace.providers.simd.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows that are, or whose taps are, farther apart than most images are wide, and rows that are longer. */
class FarStepsTest {
    private final Random random = new Random(6);

    @ParameterizedTest
    @CsvSource({"1048576,1,9", "1024,1,30000", "3000,1,90000", "70000,1,70010", "1,70000,140010", "3,1048576,9"})
    void agree(int stride, int dilation, long width) {
        Tensor weights = Comparison.random(random, 4, 3, 1, 3);
        Attributes attributes = Attributes.of("strides", Attribute.of(1, stride))
                .with("dilations", Attribute.of(1, dilation))
                .with("pads", Attribute.of(0, dilation > width ? 2 * dilation : 1, 0, 1));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 19);
            Value x = Comparison.floats(editor, "x", 4);
            nodes.output(nodes.add("Conv", attributes, x, nodes.constant(weights)));
        })) {
            both.agreesOn(Comparison.random(random, 1, 3, 1, width));
        }
    }

    @ParameterizedTest
    @CsvSource({"1025,1", "1300,1", "1560,3", "2000,1", "65536,1", "3,1300"})
    void stepsThatKernelsCanNameAreTheirs(int stride, int dilation) {
        for (int channels : new int[] {3, 32}) {
            for (int group : new int[] {1, channels}) {
                Tensor weights = Comparison.random(random, 32 / group * group, channels / group, 1, 3);
                Attributes attributes = Attributes.of("strides", Attribute.of(1, stride))
                        .with("dilations", Attribute.of(1, dilation))
                        .with("group", Attribute.of(group));
                try (var both = new Comparison(editor -> {
                    var nodes = new Nodes(editor, 19);
                    Value x = Comparison.floats(editor, "x", 4);
                    nodes.output(nodes.add("Conv", attributes, x, nodes.constant(weights)));
                })) {
                    both.agreesOn(Comparison.random(random, 1, channels, 1, 2L * dilation + 7L * stride + 1))
                            .withoutFallback();
                }
            }
        }
    }

    /** To plan them for each tap would take longer than anybody waits. */
    @ParameterizedTest
    @ValueSource(strings = {"Conv", "ConvTranspose"})
    void windowsOfMillionsOfTapsAreLeftToOthers(String operator) {
        long size = 2048;
        Tensor weights = Comparison.random(random, 1, 1, size, size);
        boolean isConv = operator.equals("Conv");
        long cut = isConv ? 0 : size / 2 - 1;
        Attributes attributes = Attributes.of("pads", Attribute.of(cut, cut, cut, cut));
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 19);
            Value x = Comparison.floats(editor, "x", 4);
            nodes.output(nodes.add(operator, attributes, x, nodes.constant(weights)));
        })) {
            both.agreesOn(Comparison.random(random, 1, 1, isConv ? size + 1 : 3, isConv ? size + 1 : 3));
            assertThat(both.kernels()).anyMatch(kernel -> kernel.startsWith("cpu " + operator));
        }
    }

    @Test
    void soDoLongSignalsOfManyChannels() {
        long channels = 16;
        Tensor weights = Comparison.random(random, channels, 1, 3);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 19);
            Value x = Comparison.floats(editor, "x", 3);
            Attributes strides = Attributes.of("strides", Attribute.of(new long[] {1_000}));
            Value y = nodes.add("Conv", strides.with("group", Attribute.of(channels)), x, nodes.constant(weights));
            nodes.output(y);
            Attributes window = strides.with("kernel_shape", Attribute.of(new long[] {40}));
            nodes.output(nodes.add("MaxPool", window, x));
            nodes.output(nodes.add("AveragePool", window, x));
        })) {
            both.agreesOn(Comparison.random(random, 1, channels, (1 << 20) + 100));
        }
    }
}
