package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Convolutions whose windows, or whose taps, are farther apart than most images are wide. */
class FarStepsTest {
    private final Random random = new Random(6);

    @ParameterizedTest
    @CsvSource({"1048576,1,9", "70000,1,70010", "1,70000,140010", "3,1048576,9"})
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
}
