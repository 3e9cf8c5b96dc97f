package dev.millrace.graph.optimise.passes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class FoldConstantsTest {
    /** Adds two float vectors, and makes zeros where it is asked for a shape. */
    private static final ConstantEvaluator EVALUATOR = (node, inputs) -> {
        if (node.is("ConstantOfShape")) {
            return List.of(Tensor.allocate(
                    ElementType.FLOAT,
                    Shape.of(Objects.requireNonNull(inputs.getFirst()).longs())));
        }
        if (!node.is("Add")) {
            return null;
        }
        float[] sum = Objects.requireNonNull(inputs.get(0)).floats();
        float[] other = Objects.requireNonNull(inputs.get(1)).floats();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other[i];
        }
        return List.of(Tensor.copyOf(sum, sum.length));
    };

    @Test
    void aChainOfConstantsIsComputedInOneSweep() {
        var g = new TestGraph();
        var x = g.input(3);
        var sum = g.op("Add", g.op("Add", g.counting(3), g.counting(3)), g.counting(3));
        g.output(g.op("Mul", x, sum));

        assertThat(g.run(EVALUATOR, "fold-constants")).isEqualTo(2);

        assertThat(g.ops()).containsExactly("Mul");
        assertThat(g.constantOf("Mul", 1).floats()).containsExactly(3, 6, 9);
    }

    /** Initialisers of many layers are made of a few shapes. */
    @Test
    void whatNodesMakeOfTheSameNumbersIsComputedOnce() {
        var g = new TestGraph();
        for (float value : new float[] {1, 1, 2}) {
            for (long extent : new long[] {5, 5, 6}) {
                var filling = Attributes.of("value", Attribute.of(Tensor.copyOf(new float[] {value}, 1)));
                g.output(g.op("ConstantOfShape", filling, g.integers(extent)));
            }
        }
        g.output(g.op("Add", g.counting(5), g.counting(5)));
        g.output(g.op("Sub", g.counting(5), g.counting(5)));
        var computed = new ArrayList<String>();

        int patches = g.run(
                (node, inputs) -> {
                    computed.add(node.op().name() + " " + inputs.getFirst());
                    Tensor value =
                            node.is("ConstantOfShape") ? node.attributes().tensor("value") : null;
                    long elements = value == null
                            ? 5
                            : Objects.requireNonNull(inputs.getFirst()).longs()[0];
                    float[] filled = new float[(int) elements];
                    Arrays.fill(filled, value == null ? 7 : value.floats()[0]);
                    return List.of(Tensor.copyOf(filled, elements));
                },
                "fold-constants");

        assertThat(patches).isEqualTo(11);
        assertThat(computed).hasSize(6);
        assertThat(g.constantOutput(0).floats()).containsExactly(1, 1, 1, 1, 1);
        assertThat(g.constantOutput(4).floats()).containsExactly(1, 1, 1, 1, 1);
        assertThat(g.constantOutput(8).floats()).containsExactly(2, 2, 2, 2, 2, 2);
    }

    @Test
    void whatTheEvaluatorCannotComputeStays() {
        var g = new TestGraph();
        g.output(g.op("Sub", g.counting(3), g.counting(3)));

        assertThat(g.run(EVALUATOR, "fold-constants")).isZero();
    }

    @Test
    void aNodeThatFailsIsLeftToFailWhenItRuns() {
        var g = new TestGraph();
        g.output(g.op("Add", g.counting(3), g.counting(3)));

        int patches = g.run(
                (node, inputs) -> {
                    throw EngineException.invalidArgument("division by zero");
                },
                "fold-constants");

        assertThat(patches).isZero();
        assertThat(g.ops()).containsExactly("Add");
    }

    @Test
    void randomNodesStay() {
        var g = new TestGraph();
        g.output(g.op("RandomUniform", TestGraph.with("shape", 3)));

        int patches = g.run((node, inputs) -> List.of(Tensor.copyOf(new float[3], 3)), "fold-constants");

        assertThat(patches).isZero();
    }

    @Test
    void aResultOfMoreBytesThanANumberHoldsStays() {
        var g = new TestGraph();
        var zero = Attributes.of("value", Attribute.of(Tensor.copyOf(new float[1], 1)));
        g.output(g.op("ConstantOfShape", zero, g.integers(1L << 62)));

        assertThat(g.run(EVALUATOR, "fold-constants")).isZero();
    }

    @Test
    void aResultThatIsLargeAndLargerThanItsInputsStays() {
        var g = new TestGraph();
        var zero = Attributes.of("value", Attribute.of(Tensor.copyOf(new float[1], 1)));
        g.output(g.op("ConstantOfShape", zero, g.integers(5 << 20)));
        g.output(g.op("ConstantOfShape", zero, g.integers(5)));

        assertThat(g.run(EVALUATOR, "fold-constants")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("ConstantOfShape");
        assertThat(g.constantOutput(1).elements()).isEqualTo(5);
    }

    private static final ConstantEvaluator CONCAT = (node, inputs) -> {
        long elements = inputs.stream()
                .mapToLong(input -> Objects.requireNonNull(input).elements())
                .sum();
        return node.is("Concat") ? List.of(Tensor.allocate(ElementType.FLOAT, Shape.of(elements))) : null;
    };

    @Test
    void constantsThatDoubleAreFoldedUntilTheyOutgrowTheModel() {
        var g = new TestGraph();
        var value = g.counting(256);
        for (int i = 0; i < 40; i++) {
            value = g.op("Concat", TestGraph.withInt("axis", 0), value, value);
        }
        g.output(value);

        g.run(CONCAT, "fold-constants");

        assertThat(g.ops()).hasSizeBetween(20, 39);
        assertThat(g.constantOf("Concat", 0)
                        .type()
                        .bytes(g.constantOf("Concat", 0).elements()))
                .isLessThanOrEqualTo(16 << 20);
    }

    @Test
    void manyConstantsOfAllowedSizeStopWhereTheModelWouldGrowTooMuch() {
        var g = new TestGraph();
        var zero = Attributes.of("value", Attribute.of(Tensor.copyOf(new float[1], 1)));
        for (int i = 0; i < 12; i++) {
            g.output(g.op("ConstantOfShape", zero, g.integers((4 << 20) - i)));
        }

        assertThat(g.run(EVALUATOR, "fold-constants")).isEqualTo(8);
    }

    @Test
    void aConstantThatTakesThePlaceOfAnotherCostsNothing() {
        var g = new TestGraph();
        for (int i = 0; i < 12; i++) {
            g.output(g.op(
                    "Add", g.constant(Tensor.allocate(ElementType.FLOAT, Shape.of(1 << 20))), g.counting(1 << 20)));
        }

        assertThat(g.run(EVALUATOR, "fold-constants")).isEqualTo(12);
    }

    @Test
    void aResultOfAnotherTypeThanDeclaredIsNotTrusted() {
        var g = new TestGraph();
        g.output(g.op("Add", g.counting(3), g.counting(3)));

        assertThat(g.run((node, inputs) -> List.of(Tensor.copyOf(new float[4], 4)), "fold-constants"))
                .isZero();
    }
}
