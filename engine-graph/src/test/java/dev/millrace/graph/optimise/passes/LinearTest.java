package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.withInt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinearTest {
    private final TestGraph g = new TestGraph();
    private final Value x = g.input("batch", "seq", 2);

    @Nested
    class FromMatMul {
        private static final String PASS = "matmul-bias";

        @Test
        void matMulAndItsBiasAreLinear() {
            g.output(g.op("Add", g.op("MatMul", x, g.counting(2, 3)), g.counting(3)));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.ops()).containsExactly("dev.millrace.Linear");
            assertThat(g.find("Linear").requireOutput(0).type()).hasToString("float[batch,seq,3]");
        }

        @Test
        void theBiasMayStandFirstAndHaveLeadingOnes() {
            g.output(g.op("Add", g.counting(1, 1, 3), g.op("MatMul", x, g.counting(2, 3))));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.constantOf("Linear", 2).shape().toArray()).containsExactly(3);
        }

        @Test
        void aScalarBiasIsSpelledOut() {
            g.output(g.op("Add", g.op("MatMul", x, g.counting(2, 3)), g.scalar(7)));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.constantOf("Linear", 2).floats()).containsExactly(7, 7, 7);
        }

        @Test
        void aProductThatIsReadElsewhereStays() {
            var product = g.op("MatMul", x, g.counting(2, 3));
            g.output(g.op("Add", product, g.counting(3)));
            g.output(product);

            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void weightsFromOutsideOrOfThreeAxesStay() {
            g.output(g.op("Add", g.op("MatMul", x, g.input(2, 3)), g.counting(3)));
            g.output(g.op("Add", g.op("MatMul", x, g.counting(1, 2, 3)), g.counting(3)));

            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void aBiasPerRowStays() {
            g.output(g.op("Add", g.op("MatMul", g.input(3, 2), g.counting(2, 3)), g.counting(3, 1)));

            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void integersStay() {
            var weights = g.constant(Tensor.copyOf(new int[6], 2, 3));
            var bias = g.constant(Tensor.copyOf(new int[3], 3));
            g.output(g.op("Add", g.op("MatMul", g.input(ElementType.INT32, "n", 2), weights), bias));

            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class FromGemm {
        private static final String PASS = "gemm-linear";
        private final Value rows = g.input("n", 3);

        @Test
        void aTransposedWeightIsTurnedNow() {
            g.output(g.op("Gemm", withInt("transB", 1), rows, g.counting(2, 3), g.counting(2)));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.constantOf("Linear", 1).shape().toArray()).containsExactly(3, 2);
            assertThat(g.constantOf("Linear", 1).floats()).containsExactly(1, 4, 2, 5, 3, 6);
        }

        @Test
        void aGemmWithoutCHasNoBias() {
            g.output(g.op("Gemm", rows, g.counting(3, 2)));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.find("Linear").inputs()).hasSize(2);
        }

        @Test
        void factorsATransposedInputOrAMatrixOfBiasesStay() {
            g.output(g.op("Gemm", Attributes.of("alpha", Attribute.of(2f)), rows, g.counting(3, 2)));
            g.output(g.op("Gemm", withInt("transA", 1), g.input(3, "n"), g.counting(3, 2)));
            g.output(g.op("Gemm", g.input(2, 3), g.counting(3, 2), g.counting(2, 2)));

            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class Fusions {
        private Value linear() {
            return g.op("Add", g.op("MatMul", g.input("n", 2), g.counting(2, 2)), g.counting(2));
        }

        private Value floats(float... values) {
            return g.constant(Tensor.copyOf(values, values.length));
        }

        @Test
        void batchNormGoesIntoTheColumns() {
            var epsilon = Attributes.of("epsilon", Attribute.of(0f));
            g.output(g.op(
                    "BatchNormalization", epsilon, linear(), floats(2, 3), floats(10, 20), floats(1, 2), floats(4, 9)));

            assertThat(g.run("matmul-bias", "linear-batchnorm")).isEqualTo(2);

            assertThat(g.ops()).containsExactly("dev.millrace.Linear");
            assertThat(g.constantOf("Linear", 1).floats()).containsExactly(1, 2, 3, 4);
            assertThat(g.constantOf("Linear", 2).floats()).containsExactly(1 - 1 + 10, 2 - 2 + 20);
        }

        @Test
        void batchNormOverAnotherAxisThanTheColumnsStays() {
            var three = g.op("Add", g.op("MatMul", g.input("n", 2, 2), g.counting(2, 2)), g.counting(2));
            g.output(g.op("BatchNormalization", three, floats(1, 1), floats(1, 1), floats(1, 1), floats(1, 1)));

            assertThat(g.run("matmul-bias", "linear-batchnorm")).isEqualTo(1);
        }

        @ParameterizedTest
        @CsvSource({"Relu, Relu", "Tanh, Tanh", "Sigmoid, Sigmoid", "HardSwish, HardSwish", "Gelu, Gelu"})
        void anActivationBecomesAnAttribute(String op, String activation) {
            g.output(g.op(op, linear()));

            assertThat(g.run("matmul-bias", "linear-activation")).isEqualTo(2);

            assertThat(g.ops()).containsExactly("dev.millrace.Linear");
            assertThat(g.find("Linear").attributes().text("activation")).isEqualTo(activation);
        }

        @Test
        void theApproximateGeluHasANameOfItsOwn() {
            g.output(g.op("Gelu", Attributes.of("approximate", Attribute.of("tanh")), linear()));

            g.run("matmul-bias", "linear-activation");

            assertThat(g.find("Linear").attributes().text("activation")).isEqualTo("GeluTanh");
        }

        @Test
        void aSecondActivationStays() {
            g.output(g.op("Tanh", g.op("Relu", linear())));

            g.run("matmul-bias", "linear-activation");

            assertThat(g.ops()).containsExactly("dev.millrace.Linear", "Tanh");
        }

        @Test
        void aLinearThatIsReadElsewhereKeepsItsResult() {
            var linear = linear();
            g.output(linear);
            g.output(g.op("Relu", linear));

            g.run("matmul-bias", "linear-activation");

            assertThat(g.ops()).containsExactly("dev.millrace.Linear", "Relu");
        }
    }
}
