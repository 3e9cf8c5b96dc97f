package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.with;
import static dev.millrace.graph.optimise.TestGraph.withInt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.function.Function;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RemovalsTest {
    private final TestGraph g = new TestGraph();
    private final Value x = g.op("Relu", g.input("n", 4));

    private int patches(String pass, Function<Value, Value> middle) {
        g.output(g.op("Tanh", middle.apply(x)));
        return g.run(pass);
    }

    private void gone(String pass, Function<Value, Value> middle) {
        assertThat(patches(pass, middle)).isEqualTo(1);
        assertThat(g.ops()).containsExactly("Relu", "Tanh");
    }

    private void stays(String pass, Function<Value, Value> middle) {
        assertThat(patches(pass, middle)).isZero();
    }

    @Nested
    class Identities {
        private static final String PASS = "remove-identities";

        @Test
        void identity() {
            gone(PASS, v -> g.op("Identity", v));
        }

        @Test
        void dropoutAtInference() {
            gone(PASS, v -> g.op("Dropout", v));
        }

        @Test
        void dropoutInTrainingStays() {
            stays(PASS, v -> g.op("Dropout", v, g.scalar(0.5), g.constant(Tensor.scalar(true))));
        }

        @Test
        void dropoutWhoseMaskIsReadStays() {
            var dropout = g.node(OpId.onnx("Dropout"), 2, Attributes.NONE, x);
            g.output(dropout.requireOutput(1));
            stays(PASS, v -> dropout.requireOutput(0));
        }

        @Test
        void castToTheSameType() {
            gone(PASS, v -> g.op("Cast", withInt("to", ElementType.FLOAT.code()), v));
        }

        @Test
        void castToAnotherTypeStays() {
            stays(PASS, v -> g.op("Cast", withInt("to", ElementType.DOUBLE.code()), v));
        }

        @Test
        void transposeOfEveryAxisToItself() {
            gone(PASS, v -> g.op("Transpose", with("perm", 0, 1), v));
        }

        @Test
        void transposeWithoutAPermutationStays() {
            stays(PASS, v -> g.op("Transpose", v));
        }

        @Test
        void concatOfOne() {
            gone(PASS, v -> g.op("Concat", withInt("axis", 0), v));
        }

        @Test
        void anOutputThatWouldBecomeAnInputStays() {
            g.output(g.op("Identity", g.input("n", 4)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void anOutputThatANodeMakesTakesItsPlace() {
            g.output(g.op("Identity", x));
            assertThat(g.run(PASS)).isEqualTo(1);
            assertThat(g.ops()).containsExactly("Relu");
            assertThat(g.graph.outputNames()).containsExactly("out0");
        }
    }

    @Nested
    class NeutralArithmetic {
        private static final String PASS = "remove-neutral-arithmetic";

        @Test
        void plusNothingOnEitherSide() {
            gone(PASS, v -> g.op("Add", g.scalar(0), v));
        }

        @Test
        void timesOnesOfAMatchingVector() {
            gone(PASS, v -> g.op("Mul", v, g.constant(Tensor.copyOf(new float[] {1, 1, 1, 1}, 4))));
        }

        @Test
        void dividedByOne() {
            gone(PASS, v -> g.op("Div", v, g.scalar(1)));
        }

        @Test
        void oneDividedStays() {
            stays(PASS, v -> g.op("Div", g.scalar(1), v));
        }

        @Test
        void nothingMinusStays() {
            stays(PASS, v -> g.op("Sub", g.scalar(0), v));
        }

        @Test
        void zerosThatRaiseTheRankStay() {
            stays(PASS, v -> g.op("Add", v, g.constant(Tensor.copyOf(new float[1], 1, 1, 1))));
        }

        @Test
        void zerosThatMaySpreadAnAxisStay() {
            stays(PASS, v -> g.op("Add", v, g.constant(Tensor.copyOf(new float[3], 3, 1))));
        }

        @Test
        void oneElementThatDiffersStays() {
            stays(PASS, v -> g.op("Mul", v, g.constant(Tensor.copyOf(new float[] {1, 1, 1, 2}, 4))));
        }
    }

    @Nested
    class UnchangedShapes {
        private static final String PASS = "remove-unchanged-shapes";

        @Test
        void reshapeToTheSame() {
            gone(PASS, v -> g.op("Reshape", v, g.integers(0, 4)));
        }

        @Test
        void reshapeToAnotherStays() {
            stays(PASS, v -> g.op("Reshape", v, g.integers(-1, 2)));
        }

        @Test
        void flattenOfAMatrix() {
            gone(PASS, v -> g.op("Flatten", v));
        }

        @Test
        void expandToItsOwnShape() {
            assertThat(patches(PASS, v -> g.op("Expand", v, g.op("Shape", v)))).isEqualTo(1);
            assertThat(g.ops()).containsExactly("Relu", "Tanh");
        }

        @Test
        void sliceOfAll() {
            gone(PASS, v -> g.op("Slice", v, g.integers(0), g.integers(Long.MAX_VALUE), g.integers(1)));
        }

        @Test
        void sliceOfSomeStays() {
            stays(PASS, v -> g.op("Slice", v, g.integers(1), g.integers(3), g.integers(1)));
        }

        @Test
        void sliceBackwardsStays() {
            stays(
                    PASS,
                    v -> g.op(
                            "Slice", v, g.integers(-1), g.integers(Long.MIN_VALUE + 1), g.integers(1), g.integers(-1)));
        }

        @Test
        void padByNothing() {
            gone(PASS, v -> g.op("Pad", v, g.integers(0, 0, 0, 0)));
        }

        @Test
        void padThatShiftsStays() {
            stays(PASS, v -> g.op("Pad", v, g.integers(0, 1, 0, -1)));
        }
    }
}
