package dev.millrace.graph.optimise.pass;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MadeConstantsTest {
    private static final long MANY = 1 << 18;

    /** Gives nothing back that has an even number of elements. */
    private static final ConstantEvaluator EVALUATOR = new ConstantEvaluator() {
        @Override
        public @Nullable List<Tensor> evaluate(Node node, List<@Nullable Tensor> inputs) {
            return null;
        }

        @Override
        public boolean takeBack(Tensor tensor) {
            return tensor.elements() % 2 == 1;
        }
    };

    @Test
    void what_the_graph_has_stays() {
        var constants = new MadeConstants(EVALUATOR);
        var g = new TestGraph();
        Tensor present = tensor(MANY);
        Tensor seen = tensor(MANY);
        g.constant(present);
        g.constant(Tensor.wrap(ElementType.INT8, Shape.of(5), seen.segment().asSlice(100, 5)));
        constants.allocated(present);
        constants.evaluated(seen);

        constants.keepThoseOf(List.of(g.graph));

        assertThat(present.isClosed()).isFalse();
        assertThat(seen.isClosed()).isFalse();
    }

    @Test
    void what_it_has_lost_is_closed() {
        var constants = new MadeConstants(EVALUATOR);
        Tensor lost = tensor(MANY);
        Tensor small = tensor(100);
        constants.allocated(lost);
        constants.allocated(small);

        constants.keepThoseOf(List.of(new TestGraph().graph));

        assertThat(lost.isClosed()).isTrue();
        assertThat(small.isClosed()).isFalse();
    }

    @Test
    void what_was_evaluated_is_closed_where_nobody_else_has_it() {
        var constants = new MadeConstants(EVALUATOR);
        Tensor shared = tensor(MANY);
        Tensor own = tensor(MANY + 1);
        constants.evaluated(shared);
        constants.evaluated(own);

        constants.keepThoseOf(List.of(new TestGraph().graph));

        assertThat(shared.isClosed()).isFalse();
        assertThat(own.isClosed()).isTrue();
    }

    private static Tensor tensor(long elements) {
        return Tensor.allocate(ElementType.FLOAT, Shape.of(elements));
    }
}
