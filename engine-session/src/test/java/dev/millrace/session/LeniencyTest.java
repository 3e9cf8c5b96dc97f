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
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of docs/guide/leniency.md: departures that it lists as noted run, and are refused strictly;
 * the others run strictly, too.
 */
@Timeout(60)
class LeniencyTest {
    private static final SessionOptions STRICT =
            SessionOptions.builder().strict(true).build();
    private static final ValueType PAIR = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2)));
    private static final ValueType THREE = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(3)));

    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());
    private final GraphEditor editor = new GraphEditor(Graph.named("lenient"));
    private final Value x = editor.addInput("x", PAIR);

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private static Value add(GraphEditor to, NodeSpec spec, String name) {
        return to.append(spec, List.of(name)).requireOutput(0);
    }

    private static NodeSpec onnx(String op, Value... inputs) {
        return NodeSpec.of(OpId.onnx(op), TestModels.OPSET, inputs);
    }

    private byte[] giving(Value y) {
        editor.addOutput("y", y);
        return Models.toBytes(TestModels.model(editor.graph()));
    }

    private void isNotedAndStrictlyRefused(byte[] model, String note) {
        try (Session session = engine.session(model, SessionOptions.defaults());
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[] {-1, 2}, 2)))) {
            assertThat(session.report().notes())
                    .anySatisfy(each -> assertThat(each).contains(note));
            assertThat(outputs.get("y").floats()).hasSize(2);
        }
        assertThatThrownBy(() -> engine.session(model, STRICT))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining(note);
    }

    private void runsStrictly(byte[] model) {
        try (Session session = engine.session(model, STRICT);
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[] {-1, 2}, 2)))) {
            assertThat(session.report().notes()).isEmpty();
            assertThat(outputs.get("y").floats()).hasSize(2);
        }
    }

    private static Graph nested(Graph around, Value of, String output, ValueType declared) {
        var inside = new GraphEditor(Graph.nested(output, around));
        Value result = add(inside, onnx("Neg", of), output + "/neg");
        inside.declare(result, declared);
        inside.addOutput(output, result);
        return inside.graph();
    }

    @Test
    void aDeclarationInABody() {
        Value condition = editor.addConstant("condition", Tensor.copyOf(new boolean[] {true}, 1));
        NodeSpec choice = onnx("If", add(editor, onnx("Squeeze", condition), "scalar"))
                .with("then_branch", Attribute.of(nested(editor.graph(), x, "then", THREE)))
                .with("else_branch", Attribute.of(nested(editor.graph(), x, "else", PAIR)));
        isNotedAndStrictlyRefused(giving(add(editor, choice, "y")), "is declared as float[3], but is float[2]");
    }

    @Test
    void anInputOfABodyThatIsNotWhatTheNodeGives() {
        var body = new GraphEditor(Graph.nested("body", editor.graph()));
        body.addInput("iteration", ValueType.tensor(ElementType.INT64, SymbolicShape.of()));
        Value go = body.addInput("go", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
        Value state = body.addInput("state", ValueType.tensor(ElementType.DOUBLE, SymbolicShape.of(Dim.of(2))));
        body.addOutput("goOn", add(body, onnx("Identity", go), "goOn"));
        body.addOutput("next", add(body, onnx("Neg", state), "next"));
        Value count = editor.addConstant("count", Tensor.scalar(3L));
        NodeSpec loop = NodeSpec.of(OpId.onnx("Loop"), TestModels.OPSET, count, null, x)
                .with("body", Attribute.of(body.graph()));
        isNotedAndStrictlyRefused(giving(add(editor, loop, "y")), "'state'");
    }

    @Test
    void anInputOfABranch() {
        var inside = new GraphEditor(Graph.nested("then", editor.graph()));
        Value own = inside.addInput("own", PAIR, Tensor.copyOf(new float[] {3, 4}, 2));
        inside.addOutput("then", add(inside, onnx("Add", x, own), "then/sum"));
        Value condition = editor.addConstant("condition", Tensor.copyOf(new boolean[] {true}, 1));
        NodeSpec choice = onnx("If", add(editor, onnx("Squeeze", condition), "scalar"))
                .with("then_branch", Attribute.of(inside.graph()))
                .with("else_branch", Attribute.of(nested(editor.graph(), x, "else", PAIR)));
        isNotedAndStrictlyRefused(
                giving(add(editor, choice, "y")),
                "has an input 'own', which an If does not give; its initializer counts");
    }

    @Test
    void aDomainThatIsNotImported() {
        NodeSpec gelu = NodeSpec.of(new OpId(OpId.MICROSOFT, "Gelu"), 1, x);
        byte[] model = giving(add(editor, gelu, "y"));
        // a written model imports the domains that it uses, so the first occurrence of the name
        // in the file is the import
        int place = new String(model, StandardCharsets.ISO_8859_1).indexOf(OpId.MICROSOFT);
        model[place] = 'k';
        isNotedAndStrictlyRefused(model, "imports no opset of domain 'com.microsoft'; opset 1 is assumed");
    }

    @Test
    void anAttributeThatTheOperatorDoesNotHave() {
        NodeSpec relu = onnx("Relu", x).with(Attributes.of("slope", Attribute.of(2f)));
        isNotedAndStrictlyRefused(giving(add(editor, relu, "y")), "attribute 'slope' is unknown");
    }

    @Test
    void anAttributeOfAnotherDomain() {
        NodeSpec gelu = NodeSpec.of(new OpId(OpId.MICROSOFT, "QuickGelu"), 1, x).with("beta", Attribute.of(2f));
        isNotedAndStrictlyRefused(giving(add(editor, gelu, "y")), "attribute 'beta' is unknown");
    }

    @Test
    void anOperatorThatIsDeprecated() {
        Value places = editor.addConstant("places", Tensor.copyOf(new long[] {1}, 1));
        Value updates = editor.addConstant("updates", Tensor.copyOf(new float[] {5}, 1));
        isNotedAndStrictlyRefused(
                giving(add(editor, onnx("Scatter", x, places, updates), "y")), "the operator is deprecated");
    }

    @Test
    void extentsOfAnOlderExportRun() {
        var free = new GraphEditor(Graph.named("free"));
        Value input = free.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"))));
        Value inner = add(free, onnx("Neg", input), "inner");
        free.declare(inner, THREE);
        free.addOutput("y", add(free, onnx("Neg", inner), "y"));
        runsStrictly(Models.toBytes(TestModels.model(free.graph())));
    }

    @Test
    void anOperatorBeforeItsTimeRuns() {
        NodeSpec early = onnx("ImageScaler", add(editor, onnx("Identity", x), "same"));
        runsStrictly(giving(add(editor, early, "y")));
    }
}
