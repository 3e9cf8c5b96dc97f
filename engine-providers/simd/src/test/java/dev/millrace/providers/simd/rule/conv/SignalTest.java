package dev.millrace.providers.simd.rule.conv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SignalTest {
    private final Random random = new Random(5);

    private Value spectrum(Nodes nodes, Value x, long taps, long stride, int channels, boolean biased) {
        Value weights = nodes.constant(Comparison.random(random, channels, 1, taps));
        Value bias = biased ? nodes.constant(Comparison.random(random, channels)) : null;
        return nodes.add("Conv", Attributes.of("strides", Attribute.of(new long[] {stride})), x, weights, bias);
    }

    @ParameterizedTest
    @CsvSource({"64,16,20,1,300", "64,64,33,2,640", "40,100,7,1,1000", "400,160,65,3,1200"})
    void windowsOfSignalsAreRowsOfAProduct(long taps, long stride, int channels, int batch, int length) {
        for (boolean biased : new boolean[] {false, true}) {
            var same = random.nextLong();
            try (var both = new Comparison(editor -> {
                random.setSeed(same);
                var nodes = new Nodes(editor, 17);
                Value x = Comparison.floats(editor, "x", 3);
                Value found = spectrum(nodes, x, taps, stride, channels, biased);
                nodes.output(nodes.add("Relu", Attributes.NONE, found));
            })) {
                both.agreesOn(Comparison.random(random, batch, 1, length)).withoutFallback();
                assertThat(both.kernels()).anyMatch(kernel -> kernel.startsWith("gemm of windows"));
            }
        }
    }

    @Test
    void magnitudesAreTakenOfBothParts() {
        try (var both = new Comparison(editor -> {
            random.setSeed(9);
            var nodes = new Nodes(editor, 17);
            Value x = Comparison.floats(editor, "x", 3);
            Value real = spectrum(nodes, x, 64, 32, 33, false);
            Value imaginary = spectrum(nodes, x, 64, 32, 33, false);
            Value power = nodes.add(
                    "Add",
                    Attributes.NONE,
                    nodes.add("Mul", Attributes.NONE, real, real),
                    nodes.add("Mul", Attributes.NONE, imaginary, imaginary));
            nodes.output(nodes.add("Sqrt", Attributes.NONE, power));
        })) {
            both.agreesOn(Comparison.random(random, 1, 1, 512)).withoutFallback();
        }
    }

    @Test
    void windowsThatReachOverTheEndAreConvolutions() {
        try (var both = new Comparison(editor -> {
            random.setSeed(9);
            var nodes = new Nodes(editor, 17);
            Value weights = nodes.constant(Comparison.random(random, 8, 1, 64));
            var pads = Attributes.of("pads", Attribute.of(new long[] {10, 10}));
            nodes.output(nodes.add("Conv", pads, Comparison.floats(editor, "x", 3), weights));
        })) {
            both.agreesOn(Comparison.random(random, 1, 1, 200)).withoutFallback();
            assertThat(both.kernels()).noneMatch(kernel -> kernel.startsWith("gemm of windows"));
        }
    }
}
