package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models whose declared shapes are not what they compute, and inputs that are not what they declare. */
@Timeout(60)
class DeclaredShapesTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final GraphEditor editor = new GraphEditor(Graph.named("declared"));

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private static ValueType floats(Dim... dims) {
        return ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(dims));
    }

    private static ValueType fixed(long first, long second) {
        return floats(Dim.of(first), Dim.of(second));
    }

    private Value node(String op, Attributes attributes, Value... inputs) {
        return editor.append(
                        NodeSpec.of(OpId.onnx(op), TestModels.OPSET, inputs).with(attributes),
                        List.of(op + editor.graph().nodeCount()))
                .requireOutput(0);
    }

    private Value node(String op, Value... inputs) {
        return node(op, Attributes.NONE, inputs);
    }

    private Value integers(long... values) {
        return editor.addConstant("c" + editor.graph().constants().size(), Tensor.copyOf(values, values.length));
    }

    private Session session() {
        return engine.session(Models.toBytes(TestModels.model(editor.graph())), SessionOptions.defaults());
    }

    private static Tensor ramp(long... dims) {
        int count = 1;
        for (long dim : dims) {
            count *= (int) dim;
        }
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = i + 1;
        }
        return Tensor.copyOf(values, dims);
    }

    /** Exported with a batch of one text of four, and made dynamic afterwards by its inputs alone. */
    @ParameterizedTest
    @CsvSource({"1,4", "2,2", "3,7", "1,7"})
    void shapesOfAnOlderExportAreNotComputedBy(int batch, int length) {
        Value x = editor.addInput("x", floats(Dim.symbol("batch"), Dim.symbol("length")));
        Value relu = node("Relu", x);
        editor.declare(relu, fixed(1, 4));
        Value shape = node("Shape", relu);
        Value target = node(
                "Concat",
                Attributes.of("axis", Attribute.of(0L)),
                node("Gather", shape, integers(0)),
                node("Gather", shape, integers(1)),
                integers(1));
        Value reshaped = node("Reshape", relu, target);
        editor.declare(reshaped, floats(Dim.of(1), Dim.of(4), Dim.of(1)));
        Value doubled = node("Concat", Attributes.of("axis", Attribute.of(2L)), reshaped, reshaped);
        editor.declare(doubled, floats(Dim.of(1), Dim.of(4), Dim.of(2)));
        editor.addOutput("y", doubled);
        editor.addOutput("s", shape);

        try (Session session = session();
                Outputs out = session.run(Inputs.of("x", ramp(batch, length)))) {
            assertThat(out.get("s").longs()).containsExactly(batch, length);
            assertThat(out.get("y").shape().toArray()).containsExactly(batch, length, 2);
            assertThat(out.get("y").floats()).startsWith(1, 1, 2, 2).endsWith(batch * length, batch * length);
        }
    }

    @Test
    void aReshapeGoesByTheTargetThatItIsGiven() {
        Value x = editor.addInput("x", fixed(4, 6));
        Value target = editor.addInput("target", ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.of(2))));
        Value y = node("Reshape", x, target);
        editor.declare(y, fixed(3, 8));
        editor.addOutput("y", y);

        try (Session session = session();
                Outputs out =
                        session.run(Inputs.of("x", ramp(4, 6)).and("target", Tensor.copyOf(new long[] {2, 12}, 2)))) {
            assertThat(session.outputs().getFirst().type()).isEqualTo(fixed(3, 8));
            assertThat(out.get("y").shape().toArray()).containsExactly(2, 12);
        }
    }

    @Test
    void aDeclarationThatIsWrongIsNotedAndTheModelRuns() {
        Value x = editor.addInput("x", fixed(2, 3));
        Value inner = node("Relu", x);
        editor.declare(inner, ValueType.tensor(ElementType.DOUBLE, SymbolicShape.of(Dim.of(7))));
        Value y = node("Neg", inner);
        editor.declare(y, fixed(3, 2));
        editor.addOutput("y", y);

        try (Session session = session();
                Outputs out = session.run(Inputs.of("x", ramp(2, 3)))) {
            assertThat(session.report().notes())
                    .satisfiesExactly(
                            note -> assertThat(note).contains("'Relu0' is declared as double[7], but is float[2,3]"),
                            note -> assertThat(note).contains("is declared as float[3,2], but is float[2,3]"));
            assertThat(session.outputs().getFirst().type()).isEqualTo(fixed(2, 3));
            assertThat(out.get("y").shape().toArray()).containsExactly(2, 3);
        }
    }

    @Test
    void strictlyADeclarationThatIsWrongIsRefused() {
        Value x = editor.addInput("x", fixed(2, 3));
        Value y = node("Relu", x);
        editor.addOutput("y", y);
        byte[] right = Models.toBytes(TestModels.model(editor.graph()));
        editor.declare(y, fixed(3, 2));
        byte[] wrong = Models.toBytes(TestModels.model(editor.graph()));
        SessionOptions strict = SessionOptions.builder().strict(true).build();

        engine.session(right, strict).close();
        assertThatThrownBy(() -> engine.session(wrong, strict))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("is declared as float[3,2], but is float[2,3]");
    }

    @Test
    void strictlyAnAttributeThatAnOperatorDoesNotHaveIsRefused() {
        Value x = editor.addInput("x", fixed(2, 3));
        editor.addOutput("y", node("Relu", Attributes.of("slope", Attribute.of(2)), x));
        byte[] model = Models.toBytes(TestModels.model(editor.graph()));

        engine.session(model, SessionOptions.defaults()).close();
        assertThatThrownBy(() -> engine.session(
                        model, SessionOptions.builder().strict(true).build()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("attribute 'slope' is unknown");
    }

    @Test
    void inputsOfOneSymbolHaveOneExtent() {
        Value a = editor.addInput("a", floats(Dim.symbol("batch"), Dim.symbol("n")));
        Value b = editor.addInput("b", floats(Dim.symbol("n")));
        editor.addOutput("y", node("Add", a, b));

        try (Session session = session()) {
            session.run(Inputs.of("a", ramp(3, 4)).and("b", ramp(4))).close();
            assertThatThrownBy(() -> session.run(Inputs.of("a", ramp(3, 4)).and("b", ramp(1))))
                    .hasMessageContaining("'n'")
                    .hasMessageContaining("axis 1 of input a is 4")
                    .hasMessageContaining("axis 0 of input b is 1");
        }
    }

    @Test
    void inputsThatAModelDoesNotTakeAreInvalidArguments() {
        Value a = editor.addInput("a", floats(Dim.symbol("n"), Dim.of(4)));
        Value b = editor.addInput("b", floats(Dim.symbol("n"), Dim.symbol("m")));
        editor.addOutput("y", node("Add", a, b));

        try (Session session = session()) {
            assertInvalid(session, Inputs.of("a", ramp(3, 5)).and("b", ramp(3, 4)), "expected 4");
            assertInvalid(session, Inputs.of("a", ramp(4)).and("b", ramp(3, 4)), "Invalid rank");
            assertInvalid(session, Inputs.of("a", ramp(3, 4)).and("b", ramp(2, 4)), "'n'");
            // only the node knows that these do not go together
            assertInvalid(session, Inputs.of("a", ramp(3, 4)).and("b", ramp(3, 3)), "do not broadcast");
        }
    }

    private static void assertInvalid(Session session, Inputs request, String why) {
        assertThatThrownBy(() -> session.run(request))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(why);
    }

    @Test
    void aDefaultCountsAsTheInputThatItStandsFor() {
        Value a = editor.addInput("a", floats(Dim.symbol("n")));
        Value b = editor.addInput("b", floats(Dim.symbol("n")), ramp(4));
        editor.addOutput("y", node("Add", a, b));

        try (Session session = session()) {
            session.run(Inputs.of("a", ramp(4))).close();
            session.run(Inputs.of("a", ramp(2)).and("b", ramp(2))).close();
            assertThatThrownBy(() -> session.run(Inputs.of("a", ramp(1)))).hasMessageContaining("'n'");
        }
    }

    @Test
    void anExtentThatIsNamedBySeveralOthersIsHeldAgainstThem() {
        Value past = editor.addInput("past", floats(Dim.symbol("past_length")));
        Value x = editor.addInput("x", floats(Dim.symbol("length")));
        Value mask = editor.addInput("mask", floats(Dim.symbol("past_length + length")));
        Value all = node("Concat", Attributes.of("axis", Attribute.of(0L)), past, x);
        editor.addOutput("y", node("Add", all, mask));

        try (Session session = session()) {
            Inputs good = Inputs.of("past", ramp(3)).and("x", ramp(2)).and("mask", ramp(5));
            session.run(good).close();
            assertThatThrownBy(() -> session.run(good.and("mask", ramp(1))))
                    .hasMessageContaining("expected 5 as length + past_length")
                    .hasMessageContaining("mask");
        }
    }

    @Test
    void aDivisorOfAnExtentThatIsZeroNamesTheInput() {
        Value x = editor.addInput("x", floats(Dim.symbol("n"), Dim.symbol("m")));
        Value y = editor.addInput("y", floats(Dim.symbol("floordiv(n, m)")));
        editor.addOutput("z", node("Add", node("ReduceSum", x), y));

        try (Session session = session()) {
            session.run(Inputs.of("x", ramp(6, 2)).and("y", ramp(3))).close();
            assertInvalid(
                    session,
                    Inputs.of("x", ramp(6, 0)).and("y", ramp(3)),
                    "Got invalid dimensions for input: y. floordiv(n, m) cannot be computed");
        }
    }

    @Test
    void sequencesHoldWhatTheyAreDeclaredToHold() {
        Value s = editor.addInput("s", new ValueType.SequenceType(fixed(2, 3)));
        editor.addOutput("y", node("Shape", node("SequenceAt", s, integers(0))));

        try (Session session = session()) {
            try (Outputs out = session.run(Inputs.of("s", TensorSequence.of(ramp(4, 1))))) {
                assertThat(out.get("y").longs()).containsExactly(4, 1);
            }
            assertThatThrownBy(() -> session.run(Inputs.of("s", TensorSequence.of(Tensor.scalar(1L)))))
                    .hasMessageContaining("Unexpected input data type for 's'");
            assertThatThrownBy(() -> session.run(Inputs.of("s", ramp(2, 3)))).hasMessageContaining("Tensor");
        }
    }
}
