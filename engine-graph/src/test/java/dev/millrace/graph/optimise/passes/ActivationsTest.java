package dev.millrace.graph.optimise.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ActivationsTest {
    private final TestGraph g = new TestGraph();
    private final Value x = g.input("n", 4);

    private void becomes(String pass, String op) {
        assertThat(g.run(pass)).isEqualTo(1);
        assertThat(g.ops()).containsExactly(op);
        assertThat(g.find(op).input(0)).isSameAs(x);
    }

    private Value mul(Value a, Value b) {
        return g.op("Mul", a, b);
    }

    @Nested
    class Erf {
        private static final String PASS = "gelu";

        private Value onePlusErf(Value argument) {
            return g.op("Add", g.op("Erf", argument), g.scalar(1));
        }

        private Value byRootOfTwo() {
            return g.op("Div", x, g.scalar(Math.sqrt(2)));
        }

        @Test
        void halvedLast() {
            g.output(mul(mul(x, onePlusErf(byRootOfTwo())), g.scalar(0.5)));
            becomes(PASS, "Gelu");
            assertThat(g.find("Gelu").attributes().text("approximate")).isEqualTo("none");
        }

        @Test
        void halvedFirst() {
            g.output(mul(mul(x, g.scalar(0.5)), onePlusErf(byRootOfTwo())));
            becomes(PASS, "Gelu");
        }

        @Test
        void halvedInside() {
            g.output(mul(mul(onePlusErf(mul(g.scalar(Math.sqrt(0.5)), x)), g.scalar(0.5)), x));
            becomes(PASS, "Gelu");
        }

        @Test
        void halvedByDivision() {
            g.output(g.op("Div", mul(x, onePlusErf(byRootOfTwo())), g.scalar(2)));
            becomes(PASS, "Gelu");
        }

        @Test
        void ofAnotherFactorStays() {
            g.output(mul(mul(x, onePlusErf(g.op("Div", x, g.scalar(1.5)))), g.scalar(0.5)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void ofAnotherValueStays() {
            var other = g.op("Div", g.input("n", 4), g.scalar(Math.sqrt(2)));
            g.output(mul(mul(x, onePlusErf(other)), g.scalar(0.5)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withAnErfThatIsReadElsewhereStays() {
            var sum = onePlusErf(byRootOfTwo());
            g.output(mul(mul(x, sum), g.scalar(0.5)));
            g.output(g.op("Relu", sum));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void withAHalfThatRaisesTheRankStays() {
            var half = g.constant(Tensor.copyOf(new float[] {0.5f}, 1, 1, 1));
            g.output(mul(mul(x, onePlusErf(byRootOfTwo())), half));
            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class Tanh {
        private static final String PASS = "gelu-tanh";

        private Value onePlusTanh(Value argument) {
            return g.op("Add", g.scalar(1), g.op("Tanh", argument));
        }

        @Test
        void withACube() {
            var inner = g.op("Add", x, mul(g.op("Pow", x, g.scalar(3)), g.scalar(0.044715)));
            g.output(mul(mul(g.scalar(0.5), x), onePlusTanh(mul(inner, g.scalar(Math.sqrt(2 / Math.PI))))));
            becomes(PASS, "Gelu");
            assertThat(g.find("Gelu").attributes().text("approximate")).isEqualTo("tanh");
        }

        @Test
        void withASquareTakenOut() {
            var inner = g.op("Add", mul(mul(g.scalar(0.044715), x), x), g.scalar(1));
            var argument = mul(mul(x, g.scalar(0.7978845608)), inner);
            g.output(mul(x, mul(onePlusTanh(argument), g.scalar(0.5))));
            becomes(PASS, "Gelu");
        }

        @Test
        void withAnotherCoefficientStays() {
            var inner = g.op("Add", x, mul(g.op("Pow", x, g.scalar(3)), g.scalar(0.05)));
            g.output(mul(mul(g.scalar(0.5), x), onePlusTanh(mul(inner, g.scalar(Math.sqrt(2 / Math.PI))))));
            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class Swishes {
        @Test
        void aValueTimesItsSigmoid() {
            g.output(mul(x, g.op("Sigmoid", x)));
            becomes("swish", "Swish");
            assertThat(g.find("Swish").attributes().real("alpha")).isEqualTo(1);
        }

        @Test
        void aValueTimesTheSigmoidOfAMultiple() {
            g.output(mul(g.op("Sigmoid", mul(x, g.scalar(1.702))), x));
            becomes("swish", "Swish");
            assertThat(g.find("Swish").attributes().real("alpha")).isEqualTo(1.702f);
        }

        @Test
        void aGateByAnotherValueStays() {
            g.output(mul(x, g.op("Sigmoid", g.input("n", 4))));
            assertThat(g.run("swish")).isZero();
        }

        @Test
        void aSigmoidThatIsAnOutputStays() {
            var sigmoid = g.op("Sigmoid", x);
            g.output(sigmoid);
            g.output(mul(x, sigmoid));
            assertThat(g.run("swish")).isZero();
        }

        @Test
        void clippedAndDivided() {
            var clip = g.op("Clip", g.op("Add", x, g.scalar(3)), g.scalar(0), g.scalar(6));
            g.output(g.op("Div", mul(x, clip), g.scalar(6)));
            becomes("hard-swish", "HardSwish");
        }

        @Test
        void clippedByAttributesAndDividedFirst() {
            g.opset(10);
            var limits = Attributes.of(Map.of("min", Attribute.of(0f), "max", Attribute.of(6f)));
            var clip = g.op("Clip", limits, g.op("Add", x, g.scalar(3)));
            g.output(mul(x, g.op("Div", clip, g.scalar(6))));
            becomes("hard-swish", "HardSwish");
        }

        @Test
        void byAHardSigmoid() {
            var slope = Attributes.of(Map.of("alpha", Attribute.of(1 / 6f), "beta", Attribute.of(0.5f)));
            g.output(mul(x, g.op("HardSigmoid", slope, x)));
            becomes("hard-swish", "HardSwish");
        }

        @Test
        void byAHardSigmoidOfTheUsualSlopeStays() {
            g.output(mul(x, g.op("HardSigmoid", x)));
            assertThat(g.run("hard-swish")).isZero();
        }

        @Test
        void clippedElsewhereStays() {
            var clip = g.op("Clip", g.op("Add", x, g.scalar(3)), g.scalar(0), g.scalar(5));
            g.output(g.op("Div", mul(x, clip), g.scalar(6)));
            assertThat(g.run("hard-swish")).isZero();
        }
    }

    @Nested
    class Clips {
        private static final String PASS = "merge-clips";

        @Test
        void reluAndClipAreOneClip() {
            g.output(g.op("Clip", g.op("Relu", x), g.scalar(-1), g.scalar(6)));
            becomes(PASS, "Clip");
            assertThat(g.constantOf("Clip", 1).floats()).containsExactly(0);
            assertThat(g.constantOf("Clip", 2).floats()).containsExactly(6);
        }

        @Test
        void clipAboveAndReluAreOneClip() {
            g.output(g.op("Relu", g.op("Clip", x, null, g.scalar(6))));
            becomes(PASS, "Clip");
        }

        @Test
        void twoRelusAreOne() {
            g.output(g.op("Relu", g.op("Relu", x)));
            becomes(PASS, "Relu");
        }

        @Test
        void intervalsWithNothingInCommonStay() {
            g.output(g.op("Relu", g.op("Clip", x, g.scalar(-2), g.scalar(-1))));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void aReluThatIsReadElsewhereStays() {
            var relu = g.op("Relu", x);
            g.output(relu);
            g.output(g.op("Clip", relu, g.scalar(-1), g.scalar(6)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void limitsFromOutsideStay() {
            g.output(g.op("Clip", g.op("Relu", x), g.input()));
            assertThat(g.run(PASS)).isZero();
        }
    }
}
