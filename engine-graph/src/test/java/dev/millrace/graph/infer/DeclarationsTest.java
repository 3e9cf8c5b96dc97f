package dev.millrace.graph.infer;

import static dev.millrace.graph.infer.TestGraph.integer;
import static dev.millrace.graph.infer.TestGraph.ints;
import static dev.millrace.graph.infer.TestGraph.shape;
import static dev.millrace.graph.tensor.ElementType.BOOL;
import static dev.millrace.graph.tensor.ElementType.DOUBLE;
import static dev.millrace.graph.tensor.ElementType.FLOAT;
import static dev.millrace.graph.tensor.ElementType.FLOAT16;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Declared types of values other than inputs, compared with the inferred types. */
class DeclarationsTest {
    private static final OpId FOREIGN = new OpId("example.com", "Foreign");

    private final TestGraph g = new TestGraph(13);

    private void declare(Value value, ValueType type) {
        new GraphEditor(value.graph()).declare(value, type);
    }

    @Test
    void oneThatIsWrongIsToldAndForgotten() {
        Value x = g.input("x", FLOAT, 2, 3);
        Value y = g.node("Transpose", ints("perm", 1, 0), g.node("Abs", x));
        declare(y, ValueType.tensor(FLOAT, shape(2, 3)));

        assertThat(TypeInference.infer(g.graph()))
                .containsExactly("Transpose -> '" + y.name() + "': '" + y.name()
                        + "' is declared as float[2,3], but is float[3,2]");
        assertThat(y.described()).hasToString("float[3,2]");
        assertThat(TypeInference.infer(g.graph())).isEmpty();
    }

    @Test
    void anExtentThatIsNotKnownIsNotWhatIsDeclared() {
        Value x = g.input("x", FLOAT, "batch", 4);
        Value y = g.node("Abs", x);
        declare(y, ValueType.tensor(FLOAT, shape(1, 4)));

        assertThat(TypeInference.infer(g.graph())).isEmpty();

        assertThat(y.shape()).isEqualTo(shape("batch", 4));
        assertThat(y.described()).isEqualTo(ValueType.tensor(FLOAT, shape(1, 4)));
    }

    @Test
    void ofAnOperatorThatNobodyKnowsTheElementsAreBelievedAndTheShapeIsNot() {
        Value y = g.add(FOREIGN, 1, Attributes.NONE, g.input("x", FLOAT, 2)).requireOutput(0);
        declare(y, ValueType.tensor(DOUBLE, shape(2, 7)));
        Value z = g.node("Abs", y);
        g.infer();

        assertThat(y.type()).isEqualTo(ValueType.tensor(DOUBLE));
        assertThat(z.type()).isEqualTo(ValueType.tensor(DOUBLE));
    }

    @Test
    void aTargetThatComesWithTheRunLeavesTheShapeOpen() {
        Value y = g.node("Reshape", g.input("x", FLOAT, 4, 6), g.input("target", INT64, 2));
        declare(y, ValueType.tensor(FLOAT, shape(3, 8)));
        g.infer();

        assertThat(y.shape()).isEqualTo(shape("?", "?"));
    }

    @Test
    void elementsOfASequenceThatCallersGiveMayHaveAnyShape() {
        Value sequence = g.input("s", new SequenceType(ValueType.tensor(FLOAT, shape(2, 3))));
        Value first = g.node("SequenceAt", sequence, g.scalar(0));
        g.infer();

        assertThat(first.type()).isEqualTo(ValueType.tensor(FLOAT));
    }

    @Test
    void anInitializerThatIsNotWhatItsInputIsDeclaredToBeIsRefused() {
        var editor = new GraphEditor(g.graph());
        editor.addInput("w", ValueType.tensor(FLOAT, shape(4)), Tensor.copyOf(new float[3], 3));

        assertThatThrownBy(g::infer)
                .hasMessageContaining("input 'w' is declared as float[4], but its initializer is float[3]");
    }

    @Test
    void theInputsOfABodyAreWhatItsNodeGivesIt() {
        TestGraph body = g.nested();
        body.input("trip", INT64);
        Value goOn = body.input("go", BOOL);
        Value carried = new GraphEditor(body.graph()).addInput("carried", null);
        declare(carried, ValueType.tensor(FLOAT, shape(9, 9)));
        body.output(body.node("Identity", goOn));
        body.output(body.node("Abs", carried));
        Value y = g.add(
                        OpId.onnx("Loop"),
                        1,
                        Attributes.of("body", Attribute.of(body.graph())),
                        g.scalar(3),
                        g.constant(Tensor.scalar(true)),
                        g.input("x", FLOAT, "n", 4))
                .requireOutput(0);

        assertThat(TypeInference.infer(g.graph())).hasSize(1).first().asString().contains("'carried' is declared as");
        assertThat(carried.shape()).isEqualTo(shape("n", 4));
        assertThat(y.shape()).isEqualTo(shape("n", 4));
    }

    /** A change of shape in the first of eight carried values reaches the last after eight rounds. */
    @Test
    void aShapeThatALoopChangesLateIsNotKnown() {
        TestGraph body = g.nested();
        body.input("trip", INT64);
        body.output(body.node("Identity", body.input("go", BOOL)));
        var editor = new GraphEditor(body.graph());
        var carried = new ArrayList<Value>();
        for (int i = 0; i < 8; i++) {
            carried.add(editor.addInput("carried" + i, null));
        }
        body.output(body.node("Concat", integer("axis", 0), carried.getFirst(), carried.getFirst()));
        List<Value> handedOn = carried.subList(0, 7);
        handedOn.forEach(value -> body.output(body.node("Identity", value)));
        var inputs = new ArrayList<@Nullable Value>(List.of(g.scalar(9), g.constant(Tensor.scalar(true))));
        for (int i = 0; i < 8; i++) {
            inputs.add(g.input("x" + i, FLOAT, 1));
        }
        Node loop = g.add(
                OpId.onnx("Loop"), 8, Attributes.of("body", Attribute.of(body.graph())), inputs.toArray(new Value[0]));
        g.infer();

        assertThat(loop.requireOutput(7).type()).isEqualTo(ValueType.tensor(FLOAT));
        assertThat(carried.getLast().type()).isEqualTo(ValueType.tensor(FLOAT));
    }

    @Test
    void aStateThatAScanChangesHasNoShapeInItsBody() {
        TestGraph body = g.nested();
        Value state = new GraphEditor(body.graph()).addInput("state", null);
        Value element = new GraphEditor(body.graph()).addInput("element", null);
        body.output(body.node("Concat", integer("axis", 0), state, state));
        body.output(body.node("Identity", element));
        Attributes attributes =
                Attributes.of("body", Attribute.of(body.graph())).with("num_scan_inputs", Attribute.of(1L));
        Node scan = g.add(OpId.onnx("Scan"), 2, attributes, g.input("x", FLOAT, 1), g.input("elements", FLOAT, "n", 4));
        g.infer();

        assertThat(state.type()).isEqualTo(ValueType.tensor(FLOAT));
        assertThat(scan.requireOutput(1).shape()).isEqualTo(shape("n", 4));
    }

    @Test
    void elementsThatFollowFromAnInputWithoutATypeAreNotTakenFromDeclarations() {
        Value open = new GraphEditor(g.graph()).addInput("open", null);
        Value y = g.node("Abs", open);
        declare(y, ValueType.tensor(FLOAT16));
        g.infer();

        assertThat(y.type()).hasToString("?[...]");
    }
}
