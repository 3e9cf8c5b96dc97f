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
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TransposesTest {
    private final TestGraph g = new TestGraph();
    private final Value x = g.op("Relu", g.input("n", 2, 5, 7));

    private Value toLast(Value value) {
        return g.op("Transpose", with("perm", 0, 2, 3, 1), value);
    }

    private Value toFirst(Value value) {
        return g.op("Transpose", with("perm", 0, 3, 1, 2), value);
    }

    @Test
    void inversesCancelOut() {
        g.output(g.op("Tanh", toFirst(toLast(x))));

        assertThat(g.run("merge-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "Tanh");
    }

    @Test
    void othersBecomeOne() {
        g.output(g.op("Tanh", toLast(toLast(x))));

        assertThat(g.run("merge-transposes")).isEqualTo(1);

        assertThat(g.find("Transpose").attributes().integers("perm")).containsExactly(0, 3, 1, 2);
    }

    @Test
    void axesThatAreCountedFromTheEndAreAxes() {
        g.output(g.op("Tanh", toFirst(g.op("Transpose", with("perm", 0, 2, -1, 1), x))));

        assertThat(g.run("merge-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "Tanh");
    }

    @Test
    void elementwiseNodesBetweenTwoDoNotKeepThemApart() {
        var bias = g.op("Add", g.op("Sigmoid", toLast(x)), g.counting(2));
        g.output(toFirst(g.op("Mul", g.scalar(2), bias)));

        assertThat(g.run("push-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "Sigmoid", "Add", "Mul");
        assertThat(g.constantOf("Add", 1).shape().toArray()).containsExactly(1, 2, 1, 1);
        assertThat(g.constantOf("Add", 1).floats()).containsExactly(1, 2);
    }

    @Test
    void aValueBetweenTwoThatIsReadElsewhereKeepsThemApart() {
        var sigmoid = g.op("Sigmoid", toLast(x));
        g.output(sigmoid);
        g.output(toFirst(g.op("Neg", sigmoid)));

        assertThat(g.run("push-transposes")).isZero();
    }

    @Test
    void aNodeThatMixesElementsKeepsThemApart() {
        g.output(toFirst(g.op("Softmax", toLast(x))));

        assertThat(g.run("push-transposes")).isZero();
    }

    @Test
    void oneBehindABinaryNodeDoesForTwoBeforeIt() {
        g.output(g.op("Add", toLast(x), toLast(g.op("Tanh", x))));

        assertThat(g.run("push-binary-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "Tanh", "Add", "Transpose");
        assertThat(g.graph.outputs().getFirst().type()).hasToString("float[n,5,7,2]");
    }

    @Test
    void differentOnesBeforeABinaryNodeStay() {
        var square = g.input(3, 3, 3, 3);
        g.output(g.op("Add", toLast(square), toFirst(square)));

        assertThat(g.run("push-binary-transposes")).isZero();
    }

    @Test
    void aReductionThatKeepsItsAxesComesFirst() {
        g.output(g.op("ReduceMean", toLast(x), g.integers(1, 2)));

        assertThat(g.run("push-reduced-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "ReduceMean", "Transpose");
        assertThat(g.constantOf("ReduceMean", 1).longs()).containsExactly(2, 3);
        assertThat(g.graph.outputs().getFirst().type()).hasToString("float[n,1,1,2]");
    }

    @Test
    void aReductionThatLeavesTheOrderNeedsNoTranspose() {
        g.opset(13);
        var attributes = Attributes.of(Map.of("axes", Attribute.of(1L, 2L), "keepdims", Attribute.of(0L)));
        g.output(g.op("ReduceMax", attributes, toLast(x)));

        assertThat(g.run("push-reduced-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "ReduceMax");
        assertThat(g.find("ReduceMax").attributes().integers("axes")).containsExactly(2, 3);
    }

    @Test
    void aReductionOverAllAxesNeedsNoneOfThem() {
        g.output(g.op("ReduceMean", TestGraph.withInt("keepdims", 0), toLast(x)));

        assertThat(g.run("push-reduced-transposes")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu", "ReduceMean");
        assertThat(g.find("ReduceMean").attributes().has("axes")).isFalse();
    }

    @Test
    void aReductionOverComputedAxesStays() {
        g.output(g.op("ReduceMean", toLast(x), g.input(ElementType.INT64, 1)));

        assertThat(g.run("push-reduced-transposes")).isZero();
    }

    @Test
    void tensorsOfAnyWidthAreTransposed() {
        var doubles = Tensor.copyOf(new double[] {1, 2, 3, 4, 5, 6}, 1, 2, 3);
        assertThat(transposed(doubles, 2, 0, 1).doubles()).containsExactly(1, 4, 2, 5, 3, 6);
        var bytes = Tensor.copyOf(new byte[] {1, 2, 3, 4, 5, 6}, 3, 2);
        assertThat(transposed(bytes, 1, 0).longs()).containsExactly(1, 3, 5, 2, 4, 6);
        assertThat(transposed(Tensor.scalar(3f)).floats()).containsExactly(3);
        assertThat(transposed(Tensor.copyOf(new float[0], 0, 2), 1, 0).elements())
                .isZero();
    }

    private static Tensor transposed(Tensor tensor, int... perm) {
        return Objects.requireNonNull(ConstantTranspose.of(tensor, perm));
    }
}
