package dev.millrace.graph.optimise;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GraphCheckTest {
    private final TestGraph g = new TestGraph();
    private final GraphEditor editor = new GraphEditor(g.graph);

    @Test
    void aSoundGraphWithNestedOnesPasses() {
        var x = g.op("Relu", g.input("n", 4));
        var then = g.nested("then");
        then.output(then.op("Add", x, x));
        var otherwise = g.nested("else");
        otherwise.output(x);
        var branches = Attributes.of(Map.of(
                "then_branch", Attribute.of(then.graph),
                "else_branch", Attribute.of(otherwise.graph)));
        g.output(g.op("If", branches, g.input(ElementType.BOOL)));

        assertThatCode(() -> GraphCheck.check(g.graph)).doesNotThrowAnyException();
    }

    @Test
    void aNodeBeforeWhatItReadsIsFound() {
        var first = g.op("Relu", g.input("n", 4));
        g.output(g.op("Tanh", first));
        editor.move(g.find("Tanh"), g.find("Relu"));

        assertThatThrownBy(() -> GraphCheck.check(g.graph))
                .hasMessageContaining("Tanh")
                .hasMessageContaining("not there yet");
    }

    @Test
    void aConstantThatWasTakenOutButIsReadIsFound() {
        var constant = g.scalar(1);
        editor.removeConstant(constant);
        g.output(g.op("Add", g.input("n", 4), constant));

        assertThatThrownBy(() -> GraphCheck.check(g.graph)).hasMessageContaining("not there yet");
    }

    @Test
    void anOutputThatNothingMakesIsFound() {
        g.output(editor.value("orphan", null));

        assertThatThrownBy(() -> GraphCheck.check(g.graph)).hasMessageContaining("no source in scope");
    }

    @Test
    void aValueOfANestedGraphIsOutOfScopeOutside() {
        var x = g.input("n", 4);
        var then = g.nested("then");
        var inner = then.op("Relu", x);
        then.output(inner);
        var otherwise = g.nested("else");
        otherwise.output(otherwise.op("Neg", x));
        var branches = Attributes.of(Map.of(
                "then_branch", Attribute.of(then.graph),
                "else_branch", Attribute.of(otherwise.graph)));
        g.output(g.op("If", branches, g.input(ElementType.BOOL)));
        editor.setInput(g.find("If"), 0, inner);

        assertThatThrownBy(() -> GraphCheck.check(g.graph)).hasMessageContaining("If");
    }

    @Test
    void anInterfaceMayBecomeMorePreciseButNotOther() {
        var output = g.op("Relu", g.input("n", 4));
        g.output(output);
        var promised = GraphCheck.Interface.of(g.graph);

        editor.setType(output, ValueType.tensor(ElementType.FLOAT, Shape.of(2, 4)));
        assertThatCode(() -> promised.requireKeptBy(g.graph)).doesNotThrowAnyException();

        editor.setType(output, ValueType.tensor(ElementType.FLOAT, Shape.of(2, 5)));
        assertThatThrownBy(() -> promised.requireKeptBy(g.graph)).hasMessageContaining("'out0'");

        editor.setType(output, ValueType.tensor(ElementType.DOUBLE, Shape.of(2, 4)));
        assertThatThrownBy(() -> promised.requireKeptBy(g.graph)).hasMessageContaining("element type");
    }
}
