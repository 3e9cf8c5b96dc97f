package dev.millrace.providers.simd.rule.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PadRulesTest {
    private final Random random = new Random(3);

    private static Value pad(Nodes nodes, String mode, Value x, long... pads) {
        Value number = mode.equals("constant") ? nodes.constant(Tensor.scalar(1.5f)) : null;
        return nodes.add("Pad", Attributes.of("mode", Attribute.of(mode)), x, nodes.constant(pads), number);
    }

    @ParameterizedTest
    @ValueSource(strings = {"constant", "edge", "reflect", "wrap"})
    void valuesOfAnyRankAgree(String mode) {
        for (int i = 0; i < 40; i++) {
            int rank = 1 + random.nextInt(4);
            long[] dims = random.longs(rank, 1, 7).toArray();
            long[] pads = new long[2 * rank];
            for (int k = 0; k < pads.length; k++) {
                long most = Math.min(3, mode.equals("reflect") ? dims[k % rank] - 1 : dims[k % rank]);
                pads[k] = random.nextInt(3) == 0 ? 0 : random.nextLong(most + 1);
            }
            try (var both = new Comparison(editor -> {
                var nodes = new Nodes(editor, 19);
                nodes.output(pad(nodes, mode, Comparison.floats(editor, "x", rank), pads));
            })) {
                both.agreesOn(Comparison.random(random, dims));
            }
        }
    }

    @Test
    void whatIsPaddedByLessThanNothingIsCutOff() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            nodes.output(pad(nodes, "constant", Comparison.floats(editor, "x", 2), -1, 2, 3, -2));
        })) {
            both.agreesOn(Comparison.random(random, 5, 6)).withoutFallback();
        }
    }

    @Test
    void whatFillsMayBeAnInput() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 2);
            Value number = Comparison.floats(editor, "number", 0);
            Value pads = nodes.constant(1L, 0L, 2L, 3L);
            nodes.output(nodes.add("Pad", Attributes.NONE, x, pads, number));
        })) {
            both.agreesOn(Comparison.random(random, 5, 6), Tensor.scalar(1.5f)).withoutFallback();
        }
    }

    @Test
    void padsMayBeThoseOfSomeAxes() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 18);
            Value x = Comparison.floats(editor, "x", 3);
            Value pads = nodes.constant(1L, 2L);
            Value axes = nodes.constant(-1L);
            nodes.output(nodes.add("Pad", Attributes.NONE, x, pads, null, axes));
        })) {
            both.agreesOn(Comparison.random(random, 2, 3, 4)).withoutFallback();
        }
    }

    @Test
    void padsMayChangeFromRunToRun() {
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 2);
            Value pads = Comparison.input(editor, "pads", ElementType.INT64, 1);
            nodes.output(nodes.add("Pad", Attributes.NONE, x, pads));
        })) {
            both.agreesOn(Comparison.random(random, 3, 4), Tensor.copyOf(new long[] {1, 0, 2, 3}, 4))
                    .agreesOn(Comparison.random(random, 3, 4), Tensor.copyOf(new long[] {0, 0, 0, 0}, 4))
                    .agreesOn(Comparison.random(random, 3, 4), Tensor.copyOf(new long[] {0, 2, 1, 0}, 4));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"constant", "edge", "reflect", "wrap"})
    void imagesInBlocksArePaddedThere(String mode) {
        Tensor first = Comparison.random(random, 20, 3, 3, 3);
        Tensor second = Comparison.random(random, 5, 20, 3, 3);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 19);
            Value conv = nodes.add("Conv", Attributes.NONE, Comparison.floats(editor, "x", 4), nodes.constant(first));
            Value padded = pad(nodes, mode, conv, 0, 0, 1, 2, 0, 0, 3, 0);
            nodes.output(nodes.add("Conv", Attributes.NONE, padded, nodes.constant(second)));
        })) {
            both.agreesOn(Comparison.random(random, 2, 3, 8, 8)).withoutFallback();
            assertThat(both.kernels()).contains("pad");
            assertThat(both.kernels())
                    .filteredOn(kernel -> kernel.startsWith("reorder"))
                    .hasSizeLessThan(2);
        }
    }

    @Test
    void aConvolutionSeesZerosAroundImagesByItself() {
        for (int group : List.of(1, 20)) {
            for (int i = 0; i < 10; i++) {
                long[] pads = {0, 0, random.nextInt(4), random.nextInt(4), 0, 0, random.nextInt(4), random.nextInt(4)};
                long stride = 1 + random.nextInt(2);
                Tensor weights = Comparison.random(random, 20, 20 / group, 3, 3);
                Attributes attributes = Attributes.of("group", Attribute.of(group))
                        .with("strides", Attribute.of(stride, stride))
                        .with("pads", Attribute.of(1, 0, 1, 1));
                try (var both = new Comparison(editor -> {
                    var nodes = new Nodes(editor, 13);
                    Value x = Comparison.floats(editor, "x", 4);
                    Value padded = nodes.add("Pad", Attributes.NONE, x, nodes.constant(pads));
                    Value conv = nodes.add("Conv", attributes, padded, nodes.constant(weights));
                    nodes.output(nodes.add("Relu", Attributes.NONE, conv));
                })) {
                    both.agreesOn(Comparison.random(random, 1, 20, 7, 9)).withoutFallback();
                    assertThat(both.kernels()).doesNotContain("pad");
                }
            }
        }
    }

    @Test
    void whatIsReadElsewhereTooIsPaddedInMemory() {
        Tensor weights = Comparison.random(random, 4, 3, 3, 3);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, 13);
            Value x = Comparison.floats(editor, "x", 4);
            Value padded = nodes.add("Pad", Attributes.NONE, x, nodes.constant(0L, 0L, 1L, 1L, 0L, 0L, 1L, 1L));
            nodes.output(nodes.add("Conv", Attributes.NONE, padded, nodes.constant(weights)));
            nodes.output(nodes.add("Tanh", Attributes.NONE, padded));
        })) {
            both.agreesOn(Comparison.random(random, 1, 3, 5, 5)).withoutFallback();
        }
    }
}
