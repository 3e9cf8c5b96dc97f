package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.with;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class NormsTest {
    private final TestGraph g = new TestGraph().opset(13);
    private final Value x = g.input("batch", "seq", 4);

    private Value mean(Value of, long... axes) {
        return g.op("ReduceMean", with("axes", axes), of);
    }

    private Value deviation(Value square) {
        return g.op("Sqrt", g.op("Add", square, g.scalar(1e-5)));
    }

    private void becomes(String pass, String op) {
        assertThat(g.run(pass)).isEqualTo(1);
        assertThat(g.ops()).containsExactly(op);
        assertThat(g.find(op).attributes().integer("axis")).isEqualTo(-1);
        assertThat(g.find(op).attributes().real("epsilon")).isEqualTo(1e-5f);
        assertThat(g.find(op).input(0)).isSameAs(x);
    }

    @Nested
    class Layer {
        private static final String PASS = "layer-norm";

        private Value normalised(long... axes) {
            var centred = g.op("Sub", x, mean(x, axes));
            return g.op("Div", centred, deviation(mean(g.op("Pow", centred, g.scalar(2)), axes)));
        }

        @Test
        void withScaleAndBias() {
            g.output(g.op("Add", g.op("Mul", normalised(-1), g.counting(4)), g.counting(4)));
            becomes(PASS, "LayerNormalization");
            assertThat(g.find("LayerNormalization").inputs()).hasSize(3);
            assertThat(g.find("LayerNormalization").opset()).isEqualTo(17);
        }

        @Test
        void withoutBias() {
            g.output(g.op("Mul", g.counting(4), normalised(2)));
            becomes(PASS, "LayerNormalization");
            assertThat(g.find("LayerNormalization").inputs()).hasSize(2);
        }

        @Test
        void withAProductForTheSquareAndAReciprocal() {
            var centred = g.op("Sub", x, mean(x, -1));
            var inverse = g.op("Reciprocal", deviation(mean(g.op("Mul", centred, centred), -1)));
            g.output(g.op("Mul", g.op("Mul", centred, inverse), g.counting(4)));
            becomes(PASS, "LayerNormalization");
        }

        @Test
        void withAxesAsAnInput() {
            g.opset(18);
            var axes = g.integers(-1);
            var centred = g.op("Sub", x, g.op("ReduceMean", x, axes));
            var square = g.op("ReduceMean", g.op("Pow", centred, g.scalar(2)), axes);
            g.output(g.op("Mul", g.op("Div", centred, deviation(square)), g.counting(4)));
            becomes(PASS, "LayerNormalization");
        }

        @Test
        void overAnotherAxisThanTheLastStays() {
            g.output(g.op("Mul", normalised(1), g.counting(4)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withAScaleOfAnotherShapeStays() {
            g.output(g.op("Mul", normalised(-1), g.scalar(3)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withACentredValueThatIsReadElsewhereStays() {
            var normalised = normalised(-1);
            g.output(g.op("Mul", normalised, g.counting(4)));
            g.output(g.op("Relu", g.find("Sub").requireOutput(0)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withTheNormalisedValueAsAnOutputStays() {
            var normalised = normalised(-1);
            g.output(normalised);
            g.output(g.op("Mul", normalised, g.counting(4)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withTheMeanOfAnotherValueStays() {
            var centred = g.op("Sub", x, mean(g.input("batch", "seq", 4), -1));
            var square = mean(g.op("Pow", centred, g.scalar(2)), -1);
            g.output(g.op("Mul", g.op("Div", centred, deviation(square)), g.counting(4)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void inDoublePrecisionStays() {
            var wide = g.input(ElementType.DOUBLE, "n", 2);
            var two = g.constant(Tensor.copyOf(new double[] {2}));
            var centred = g.op("Sub", wide, mean(wide, -1));
            var sum = g.op("Add", mean(g.op("Pow", centred, two), -1), two);
            var scale = g.constant(Tensor.copyOf(new double[] {1, 2}, 2));
            g.output(g.op("Mul", g.op("Div", centred, g.op("Sqrt", sum)), scale));
            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class RootMeanSquare {
        private static final String PASS = "rms-norm";

        private Value square() {
            return g.op("Pow", x, g.scalar(2));
        }

        @Test
        void byDivision() {
            g.output(g.op("Mul", g.op("Div", x, deviation(mean(square(), -1))), g.counting(4)));
            becomes(PASS, "RMSNormalization");
            assertThat(g.find("RMSNormalization").opset()).isEqualTo(23);
        }

        @Test
        void byOneOverTheDeviation() {
            var inverse = g.op("Div", g.scalar(1), deviation(mean(square(), -1)));
            g.output(g.op("Mul", g.counting(4), g.op("Mul", x, inverse)));
            becomes(PASS, "RMSNormalization");
        }

        @Test
        void ofAnotherPowerStays() {
            var cube = g.op("Pow", x, g.scalar(3));
            g.output(g.op("Mul", g.op("Div", x, deviation(mean(cube, -1))), g.counting(4)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withoutKeptAxesStays() {
            var gone = Attributes.of(Map.of(
                    "axes", Attribute.of(new long[] {-1}),
                    "keepdims", Attribute.of(0L)));
            var fixed = g.input(4, 4);
            var mean = g.op("ReduceMean", gone, g.op("Pow", fixed, g.scalar(2)));
            g.output(g.op("Mul", g.op("Div", fixed, deviation(mean)), g.counting(4)));
            assertThat(g.run(PASS)).isZero();
        }
    }
}
