package dev.millrace.providers.simd.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class IfTest {
    private static final int OPSET = 16;

    private final Random random = new Random(11);

    private static Value add(GraphEditor editor, String op, Value... inputs) {
        return add(editor, NodeSpec.of(new OpId(OpId.ONNX, op), OPSET, inputs));
    }

    private static Value add(GraphEditor editor, NodeSpec spec) {
        String name = spec.op().name() + editor.graph().name() + editor.graph().nodeCount();
        return editor.append(spec, List.of(name)).requireOutput(0);
    }

    private static Attribute branch(GraphEditor around, String name, Function<GraphEditor, Value> body) {
        Graph graph = Graph.nested(name, around.graph());
        var editor = new GraphEditor(graph);
        editor.addOutput(name, body.apply(editor));
        return Attribute.of(graph);
    }

    private static Value choose(
            GraphEditor editor,
            Value condition,
            Function<GraphEditor, Value> then,
            Function<GraphEditor, Value> otherwise) {
        String name = editor.graph().name() + editor.graph().nodeCount();
        return add(
                editor,
                NodeSpec.of(new OpId(OpId.ONNX, "If"), OPSET, condition)
                        .with("then_branch", branch(editor, name + "then", then))
                        .with("else_branch", branch(editor, name + "else", otherwise)));
    }

    private Tensor numbers(long... dims) {
        return Comparison.random(random, dims);
    }

    @Test
    void theBranchThatAnInputChoosesIsPartOfTheProgram() {
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 2);
            Value condition = Comparison.input(editor, "condition", ElementType.BOOL, 0);
            Value scaled = add(editor, "Mul", x, editor.addConstant("factor", Tensor.scalar(3f)));
            Value chosen = choose(editor, condition, b -> add(b, "Exp", scaled), b -> add(b, "Sub", x, scaled));
            editor.addOutput("y", add(editor, "Add", chosen, x));
        })) {
            assertThat(both.nodes()).isEqualTo(1);
            both.agreesOn(numbers(3, 4), Tensor.scalar(true))
                    .agreesOn(numbers(3, 4), Tensor.scalar(false))
                    .agreesOn(numbers(2, 5), Tensor.scalar(false))
                    .agreesOn(numbers(3, 4), Tensor.scalar(true))
                    .withoutFallback();
        }
    }

    @Test
    void aBranchMayReturnWhatIsAroundIt() {
        Tensor table = numbers(2, 2);
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 2);
            Value condition = Comparison.input(editor, "condition", ElementType.BOOL, 0);
            Value twice = add(editor, "Add", x, x);
            Value constant = editor.addConstant("constant", table);
            editor.addOutput("a", choose(editor, condition, _ -> twice, _ -> constant));
            editor.addOutput("b", choose(editor, condition, _ -> x, _ -> twice));
        })) {
            both.agreesOn(numbers(2, 2), Tensor.scalar(true)).agreesOn(numbers(2, 2), Tensor.scalar(false));
        }
    }

    @Test
    void whatMakesAConditionOfAnIntegerStaysOutsideSoThatOtherIntegersBindNothingAnew() {
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 2);
            Value rate = Comparison.input(editor, "rate", ElementType.INT64, 0);
            Value isHigh = add(editor, "Equal", rate, editor.addConstant("high", Tensor.scalar(16000L)));
            editor.addOutput("y", choose(editor, isHigh, b -> add(b, "Exp", x), b -> add(b, "Tanh", x)));
        })) {
            assertThat(both.nodes()).isEqualTo(2);
            both.agreesOn(numbers(3, 4), Tensor.scalar(16000L)).agreesOn(numbers(3, 4), Tensor.scalar(8000L));
            int bound = both.kernels().size();
            both.agreesOn(numbers(3, 4), Tensor.scalar(11025L)).agreesOn(numbers(3, 4), Tensor.scalar(16000L));
            assertThat(both.kernels()).hasSize(bound).hasSize(2);
        }
    }

    @Test
    void conditionsOnShapesAreDecidedAtAnyDepth() {
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 2);
            Value condition = Comparison.input(editor, "condition", ElementType.BOOL, 0);
            editor.addOutput(
                    "y",
                    choose(
                            editor,
                            condition,
                            b -> choose(b, isLong(b, x), c -> add(c, "Neg", x), c -> add(c, "Exp", x)),
                            b -> choose(b, isLong(b, x), c -> add(c, "Tanh", x), c -> add(c, "Abs", x))));
        })) {
            assertThat(both.nodes()).isEqualTo(1);
            for (boolean truth : new boolean[] {true, false}) {
                both.agreesOn(numbers(2, 9), Tensor.scalar(truth)).agreesOn(numbers(2, 3), Tensor.scalar(truth));
            }
            both.withoutFallback();
        }
    }

    private static Value isLong(GraphEditor editor, Value x) {
        Value size = add(editor, "Size", x);
        String name = editor.graph().name() + "limit";
        return add(editor, "Greater", size, editor.addConstant(name, Tensor.scalar(10L)));
    }

    @Test
    void aConditionOnDataIsLeftToTheProviderBehind() {
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 2);
            Value largest = add(editor, "ReduceMax", x);
            Value flat = add(editor, "Reshape", largest, editor.addConstant("none", Tensor.copyOf(new long[0], 0)));
            Value isPositive = add(editor, "Greater", flat, editor.addConstant("zero", Tensor.scalar(0f)));
            editor.addOutput("y", choose(editor, isPositive, b -> add(b, "Exp", x), b -> add(b, "Tanh", x)));
        })) {
            assertThat(both.nodes()).isGreaterThan(1);
            both.agreesOn(numbers(3, 4)).agreesOn(Tensor.copyOf(new float[] {-1, -2}, 1, 2));
        }
    }
}
