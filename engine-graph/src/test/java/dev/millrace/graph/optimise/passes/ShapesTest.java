package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.withInt;
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

class ShapesTest {
    private final TestGraph g = new TestGraph();

    @Nested
    class Folding {
        private static final String PASS = "fold-shapes";

        @Test
        void theShapeAndSizeOfKnownExtentsAreConstants() {
            var x = g.input(2, 3);
            g.output(g.op("Shape", x));
            g.output(g.op("Size", x));

            assertThat(g.run(PASS)).isEqualTo(2);

            assertThat(g.constantOutput(0).longs()).containsExactly(2, 3);
            assertThat(g.constantOutput(1).longs()).containsExactly(6);
            assertThat(g.constantOutput(1).shape().rank()).isZero();
        }

        @Test
        void anExtentThatIsNotKnownStaysAQuestion() {
            g.output(g.op("Shape", g.input("n", 3)));
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void theKnownPartOfAShapeIsAConstant() {
            var known = Map.of("start", Attribute.of(1L), "end", Attribute.of(-1L));
            g.output(g.op("Shape", Attributes.of(known), g.input("n", 3, 5, "m")));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.constantOutput(0).longs()).containsExactly(3, 5);
        }

        @Test
        void gatherOfKnownExtentsKeepsTheShapeOfItsIndices() {
            var shape = g.op("Shape", g.input("n", 3, 5));
            g.output(g.op("Gather", shape, g.constant(Tensor.scalar(2L))));
            g.output(g.op("Gather", shape, g.integers(-2)));
            g.output(g.op("Gather", shape, g.integers(0)));

            assertThat(g.run(PASS)).isEqualTo(2);

            assertThat(g.constantOutput(0).longs()).containsExactly(5);
            assertThat(g.constantOutput(0).shape().rank()).isZero();
            assertThat(g.constantOutput(1).longs()).containsExactly(3);
            assertThat(g.ops()).containsExactly("Shape", "Gather");
        }

        @Test
        void sliceOfKnownExtentsIsAConstant() {
            var shape = g.op("Shape", g.input("n", 3, 5));
            g.output(g.op("Slice", shape, g.integers(1), g.integers(Long.MAX_VALUE), g.integers(0)));
            g.output(g.op("Slice", shape, g.integers(0), g.integers(2), g.integers(0)));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.constantOutput(0).longs()).containsExactly(3, 5);
        }

        @Test
        void theShapeOfAnElementwiseResultIsAskedOfItsOperand() {
            var x = g.input("n", 4);
            g.output(g.op("Shape", g.op("Relu", g.op("Tanh", x))));

            g.run(PASS);

            assertThat(g.ops()).containsExactly("Shape");
            assertThat(g.find("Shape").input(0)).isSameAs(x);
        }
    }

    @Nested
    class Targets {
        private static final String PASS = "constant-reshapes";

        private Value extent(Value x, long axis) {
            return g.op("Gather", g.op("Shape", x), g.integers(axis));
        }

        @Test
        void extentsThatStayInPlaceAreCopied() {
            var x = g.input("batch", "seq", 384);
            var target = g.op("Concat", withInt("axis", 0), extent(x, 0), extent(x, 1), g.integers(12), g.integers(32));
            g.output(g.op("Reshape", x, target));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.ops()).containsExactly("Reshape");
            assertThat(g.constantOf("Reshape", 1).longs()).containsExactly(0, 0, 12, 32);
        }

        @Test
        void oneOtherExtentIsInferred() {
            var x = g.input("batch", 4, 8);
            var rows = g.op("Mul", extent(x, 0), g.integers(4));
            g.output(g.op("Reshape", x, g.op("Concat", withInt("axis", 0), rows, g.integers(8))));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.constantOf("Reshape", 1).longs()).containsExactly(-1, 8);
        }

        @Test
        void twoOtherExtentsStayComputed() {
            var x = g.input("a", "b", 8);
            var target = g.op("Concat", withInt("axis", 0), extent(x, 1), extent(x, 0), g.integers(8));
            g.output(g.op("Reshape", x, target));

            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class Rows {
        private static final String PASS = "merge-reshapes";

        @Test
        void unsqueezeAndSqueezeCancelOut() {
            var x = g.op("Relu", g.input("n", 4));
            g.output(g.op("Tanh", g.op("Squeeze", g.op("Unsqueeze", x, g.integers(1)), g.integers(1))));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.ops()).containsExactly("Relu", "Tanh");
        }

        @Test
        void aRowBecomesOneReshape() {
            var x = g.input(2, 3, 4);
            var flat = g.op("Flatten", x);
            g.output(g.op("Reshape", g.op("Unsqueeze", flat, g.integers(0)), g.integers(4, 6)));

            g.run(PASS);

            assertThat(g.ops()).containsExactly("Reshape");
            assertThat(g.constantOf("Reshape", 1).longs()).containsExactly(4, 6);
        }

        @Test
        void aFirstStepThatIsReadElsewhereStaysForItsReaders() {
            var flat = g.op("Flatten", g.input(2, 3, 4));
            g.output(flat);
            g.output(g.op("Reshape", flat, g.integers(4, 6)));

            assertThat(g.run(PASS)).isEqualTo(1);

            assertThat(g.ops()).containsExactly("Flatten", "Reshape");
        }

        @Test
        void whatOneReshapeCannotSayStays() {
            var x = g.input("a", "b", 4);
            var wide = g.op("Unsqueeze", x, g.integers(0));
            g.output(g.op("Unsqueeze", wide, g.integers(0)));

            assertThat(g.run(PASS)).isZero();
        }
    }

    @Nested
    class Casts {
        private static final String PASS = "merge-casts";

        private void casts(ElementType from, ElementType between, ElementType to) {
            var x = g.input(from, "n");
            g.output(g.op("Cast", withInt("to", to.code()), g.op("Cast", withInt("to", between.code()), x)));
        }

        @Test
        void aWideningThatLosesNothingGoes() {
            casts(ElementType.INT32, ElementType.INT64, ElementType.FLOAT);
            assertThat(g.run(PASS)).isEqualTo(1);
            assertThat(g.ops()).containsExactly("Cast");
        }

        @Test
        void aNarrowingStays() {
            casts(ElementType.INT64, ElementType.INT32, ElementType.INT64);
            assertThat(g.run(PASS)).isZero();
        }

        @Test
        void exactnessIsThatOfTheNumbers() {
            assertThat(MergeCasts.isExact(ElementType.BOOL, ElementType.INT8)).isTrue();
            assertThat(MergeCasts.isExact(ElementType.INT16, ElementType.FLOAT)).isTrue();
            assertThat(MergeCasts.isExact(ElementType.INT32, ElementType.FLOAT)).isFalse();
            assertThat(MergeCasts.isExact(ElementType.INT32, ElementType.DOUBLE))
                    .isTrue();
            assertThat(MergeCasts.isExact(ElementType.UINT8, ElementType.INT8)).isFalse();
            assertThat(MergeCasts.isExact(ElementType.INT8, ElementType.UINT64)).isFalse();
            assertThat(MergeCasts.isExact(ElementType.FLOAT16, ElementType.FLOAT))
                    .isTrue();
            assertThat(MergeCasts.isExact(ElementType.FLOAT16, ElementType.BFLOAT16))
                    .isFalse();
            assertThat(MergeCasts.isExact(ElementType.INT16, ElementType.FLOAT16))
                    .isFalse();
            assertThat(MergeCasts.isExact(ElementType.STRING, ElementType.INT64))
                    .isFalse();
        }
    }
}
