package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.withInt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import org.junit.jupiter.api.Test;

class SharingTest {
    private final TestGraph g = new TestGraph();

    @Test
    void constantsOfEqualContentBecomeOne() {
        var x = g.input("n", 4);
        g.output(g.op("Add", g.op("Mul", x, g.counting(4)), g.counting(4)));

        assertThat(g.run("share-constants")).isEqualTo(1);

        assertThat(g.graph.constants()).hasSize(1);
        assertThat(g.find("Mul").input(1)).isSameAs(g.find("Add").input(1));
    }

    @Test
    void constantsOfEqualBytesButOtherShapeOrTypeStayApart() {
        var x = g.input(4, 4);
        g.output(g.op("Add", g.op("Mul", x, g.counting(4)), g.counting(4, 1)));
        g.output(g.op("Add", g.integers(0), g.integers(0)));
        g.output(g.op("Add", g.constant(Tensor.copyOf(new double[1], 1)), g.constant(Tensor.copyOf(new double[1], 1))));

        assertThat(g.run("share-constants")).isEqualTo(2);
    }

    @Test
    void twoChainsThatComputeTheSameBecomeOne() {
        var x = g.input("n", 4);
        var one = g.op("Tanh", g.op("Softmax", withInt("axis", 1), x));
        var two = g.op("Tanh", g.op("Softmax", withInt("axis", 1), x));
        g.output(g.op("Add", one, two));

        assertThat(g.run("common-subexpressions")).isEqualTo(2);

        assertThat(g.ops()).containsExactly("Softmax", "Tanh", "Add");
    }

    @Test
    void tensorAttributesAreComparedByContent() {
        var shape = g.op("Shape", g.input("n"));
        for (float value : new float[] {1, 1, 2}) {
            var attribute = Attributes.of("value", Attribute.of(Tensor.copyOf(new float[] {value}, 1)));
            g.output(g.op("ConstantOfShape", attribute, shape));
        }

        assertThat(g.run("common-subexpressions")).isEqualTo(1);

        assertThat(g.graph.outputs().get(0)).isSameAs(g.graph.outputs().get(1));
        assertThat(g.graph.outputs().get(2)).isNotSameAs(g.graph.outputs().get(1));
    }

    @Test
    void otherAttributesOrRandomNumbersKeepNodesApart() {
        var x = g.input("n", 4);
        g.output(g.op("Softmax", withInt("axis", 1), x));
        g.output(g.op("Softmax", withInt("axis", 0), x));
        g.output(g.op("RandomUniformLike", x));
        g.output(g.op("RandomUniformLike", x));

        assertThat(g.run("common-subexpressions")).isZero();
    }

    @Test
    void unknownOperatorsAreNotAssumedToBeFunctions() {
        var x = g.input("n", 4);
        var op = new OpId("org.example", "Counter");
        g.output(g.node(op, 1, Attributes.NONE, x).requireOutput(0));
        g.output(g.node(op, 1, Attributes.NONE, x).requireOutput(0));

        assertThat(g.run("common-subexpressions")).isZero();
    }

    @Test
    void deadNodesGoWithAllThatOnlyTheyRead() {
        var x = g.input("n", 4);
        g.op("Add", g.op("Tanh", g.op("Mul", x, g.counting(4))), g.scalar(1));
        g.scalar(3);
        g.output(g.op("Relu", x));

        assertThat(g.run("dead-code")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Relu");
        assertThat(g.graph.constants()).isEmpty();
    }

    @Test
    void nodesWithoutOutputsAndContextsAreNotDead() {
        var x = g.input("n", 4);
        g.node(new OpId("org.example", "Log"), 0, Attributes.NONE, x);
        g.node(new OpId(OpId.MICROSOFT, "EPContext"), 1, Attributes.NONE, x);
        g.output(g.op("Relu", x));

        assertThat(g.run("dead-code")).isZero();
    }

    @Test
    void whatOnlyANestedGraphReadsIsAlive() {
        var x = g.input("n", 4);
        var inner = g.op("Tanh", x);
        var then = g.nested("then");
        then.output(then.op("Relu", inner));
        var otherwise = g.nested("else");
        otherwise.output(otherwise.op("Neg", inner));
        var condition = g.input(ElementType.BOOL);
        g.output(g.op("If", Fixtures.branches(then, otherwise), condition));

        assertThat(g.run("dead-code")).isZero();
    }
}
