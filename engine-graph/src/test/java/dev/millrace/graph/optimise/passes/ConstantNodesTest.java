package dev.millrace.graph.optimise.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConstantNodesTest {
    @Test
    void everyPlainFormBecomesAConstantOfItsTypeAndShape() {
        var g = new TestGraph();
        g.output(g.op("Constant", Attributes.of("value", Attribute.of(Tensor.copyOf(new double[] {1, 2}, 2)))));
        g.output(g.op("Constant", Attributes.of("value_int", Attribute.of(7L))));
        g.output(g.op("Constant", Attributes.of("value_ints", Attribute.of(7L, 8L))));
        g.output(g.op("Constant", Attributes.of("value_float", Attribute.of(1.5f))));
        g.output(g.op("Constant", Attributes.of("value_string", Attribute.of("text"))));

        assertThat(g.run("constant-nodes")).isEqualTo(5);

        assertThat(g.ops()).isEmpty();
        assertThat(g.constantOutput(0).doubles()).containsExactly(1, 2);
        assertThat(g.constantOutput(1).longs()).containsExactly(7);
        assertThat(g.constantOutput(1).shape().rank()).isZero();
        assertThat(g.constantOutput(2).longs()).containsExactly(7, 8);
        assertThat(g.constantOutput(3).floats()).containsExactly(1.5f);
        assertThat(g.constantOutput(4).strings()).containsExactly("text");
    }

    @Test
    void aSparseConstantStays() {
        var g = new TestGraph();
        var sparse =
                new Attribute.Sparse(Tensor.copyOf(new float[] {3}, 1), Tensor.copyOf(new long[] {1}, 1), List.of(4L));
        g.output(g.op("Constant", Attributes.of("sparse_value", sparse)));

        assertThat(g.run("constant-nodes")).isZero();
    }
}
