package dev.millrace.graph.optimise.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import org.junit.jupiter.api.Test;

class InlineIfTest {
    private final TestGraph g = new TestGraph();
    private final Value x = g.input("n", 4);

    private TestGraph branch(String name, String op) {
        var branch = g.nested(name);
        branch.output(branch.op("Add", branch.op(op, x), branch.scalar(1)));
        return branch;
    }

    private Value conditional(Value condition) {
        return g.op("If", Fixtures.branches(branch("then", "Relu"), branch("else", "Tanh")), condition);
    }

    @Test
    void theBranchThatIsTakenStandsInPlaceOfTheIf() {
        g.output(g.op("Neg", conditional(g.constant(Tensor.scalar(false)))));

        assertThat(g.run("inline-if")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Tanh", "Add", "Neg");
        assertThat(x.users()).containsExactly(g.find("Tanh"));
        assertThat(g.constantOf("Add", 1).floats()).containsExactly(1);
    }

    @Test
    void aConditionFromOutsideStays() {
        g.output(conditional(g.input(ElementType.BOOL)));

        assertThat(g.run("inline-if")).isZero();
    }

    @Test
    void whatTheBranchHoldsNestedComesWithIt() {
        var condition = g.input(ElementType.BOOL);
        var then = g.nested("then");
        var deepThen = then.nested("deep then");
        deepThen.output(deepThen.op("Relu", x));
        var deepElse = then.nested("deep else");
        deepElse.output(deepElse.op("Tanh", x));
        then.output(then.op("If", Fixtures.branches(deepThen, deepElse), condition));
        g.output(g.op("If", Fixtures.branches(then, branch("else", "Neg")), g.constant(Tensor.scalar(true))));

        assertThat(g.run("inline-if")).isEqualTo(1);

        var copied = g.find("If").attributes().graph("then_branch");
        assertThat(g.ops()).containsExactly("If");
        assertThat(copied.parent()).isSameAs(g.graph);
        assertThat(x.users()).extracting(user -> user.op().name()).containsExactlyInAnyOrder("Relu", "Tanh");
    }

    @Test
    void aBranchThatReturnsAnInputStaysWhereTheGraphReturnsIt() {
        var then = g.nested("then");
        then.output(x);
        g.output(g.op("If", Fixtures.branches(then, branch("else", "Neg")), g.constant(Tensor.scalar(true))));

        assertThat(g.run("inline-if")).isZero();
    }
}
