package dev.millrace.graph.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SchemaCheckTest {
    private final GraphEditor editor = new GraphEditor(Graph.named("test"));
    private final Value floats = editor.addInput("floats", ValueType.tensor(ElementType.FLOAT));
    private final Value doubles = editor.addInput("doubles", ValueType.tensor(ElementType.DOUBLE));
    private final Value strings = editor.addInput("strings", ValueType.tensor(ElementType.STRING));
    private final Value unknown = editor.addInput("unknown", null);

    private Node node(String op, int opset, Attributes attributes, @Nullable Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx(op), opset, inputs).named("n").with(attributes);
        return editor.append(spec, List.of("y" + editor.graph().nodeCount()));
    }

    private static List<String> errors(Node node) {
        return SchemaCheck.check(node).errors();
    }

    @Test
    void aProperNodePasses() {
        Node conv = node("Conv", 13, Attributes.of("group", Attribute.of(2)), floats, floats, null);
        assertThat(SchemaCheck.check(conv)).isEqualTo(new SchemaCheck(List.of(), List.of(), List.of()));
        assertThat(errors(node("Add", 13, Attributes.NONE, floats, unknown))).isEmpty();
    }

    @Test
    void countsOfInputsAndOutputsAreChecked() {
        assertThat(errors(node("Add", 13, Attributes.NONE, floats)))
                .containsExactly("Add 'n': it has 1 inputs where 2 are allowed");
        assertThat(errors(node("Clip", 13, Attributes.NONE, floats, floats, floats, floats)))
                .containsExactly("Clip 'n': it has 4 inputs where 1 to 3 are allowed");
        assertThat(errors(node("Add", 13, Attributes.NONE, null, floats)))
                .containsExactly("Add 'n': input 0 ('A') is omitted, but is needed");
        assertThat(errors(node("Concat", 13, Attributes.of("axis", Attribute.of(0)))))
                .containsExactly("Concat 'n': it has 0 inputs where 1 or more are allowed");
    }

    @Test
    void constantsOfEarlyOpsetsAreOfAnyType() {
        Node constant = node("Constant", 6, Attributes.of("value", Attribute.of(Tensor.scalar(1L))));
        editor.setType(constant.requireOutput(0), ValueType.tensor(ElementType.INT64));
        assertThat(errors(constant)).isEmpty();
    }

    @Test
    void typesAreCheckedAgainstTheVersion() {
        assertThat(errors(node("Add", 13, Attributes.NONE, strings, strings)))
                .anySatisfy(error -> assertThat(error)
                        .startsWith("Add 'n': input 0 ('A') is string where float, ")
                        .endsWith(" is allowed"));
        assertThat(errors(node("Add", 13, Attributes.NONE, floats, doubles)))
                .containsExactly("Add 'n': input 1 ('B') is double, but has to be float as what shares its type T");
    }

    @Test
    void attributesAreChecked() {
        assertThat(errors(node("Concat", 13, Attributes.NONE, floats)))
                .containsExactly("Concat 'n': attribute 'axis' of kind int is missing");
        assertThat(errors(node("Concat", 13, Attributes.of("axis", Attribute.of(1f)), floats)))
                .containsExactly("Concat 'n': attribute 'axis' is of kind float where int is expected");
        SchemaCheck extra = SchemaCheck.check(node("Relu", 13, Attributes.of("slope", Attribute.of(1)), floats));
        assertThat(extra.errors()).isEmpty();
        assertThat(extra.warnings())
                .containsExactly("Relu 'n': attribute 'slope' is unknown to the operator since opset 13; it has []");
        assertThat(extra.unknown()).containsExactly("slope");
    }

    @Test
    void anAttributeOfAnotherOpsetIsTakenFromItsNode() {
        Node split = node(
                "Split",
                13,
                Attributes.of("axis", Attribute.of(1)).with("split", new Attribute.Ints(List.of(1L))),
                floats);
        assertThat(SchemaPass.over(editor.graph())).singleElement().asString().contains("attribute 'split' is unknown");
        assertThat(split.attributes().names()).containsExactly("axis");
        assertThat(SchemaPass.over(editor.graph())).isEmpty();
    }

    @Test
    void whatAnOperatorAlwaysGivesHasANameWhereANodeLeavesItOut() {
        int named = 0;
        for (OperatorSchema schema : Schemas.all()) {
            List<Parameter> outputs = schema.outputs();
            int count = outputs.isEmpty() || !outputs.getLast().isVariadic() ? outputs.size() : outputs.size() + 2;
            Node node = editor.append(
                    NodeSpec.of(schema.op(), schema.since()), Collections.nCopies(count, (@Nullable String) null));
            SchemaPass.nameOutputs(editor, node, schema);
            for (int i = 0; i < count; i++) {
                boolean optional = Objects.requireNonNull(OperatorSchema.parameter(outputs, i))
                        .isOptional();
                assertThat(node.output(i) == null)
                        .as("output %d of %s", i, schema.op())
                        .isEqualTo(optional);
                named += optional ? 0 : 1;
            }
        }
        assertThat(named).isGreaterThan(600);
    }

    @Test
    void aLoopMayLeaveOutWhatItsBodyGives() {
        var body = new GraphEditor(Graph.nested("body", editor.graph()));
        Value count = body.addInput("count", ValueType.tensor(ElementType.INT64));
        Value go = body.addInput("go", ValueType.tensor(ElementType.BOOL));
        body.addOutput("on", go);
        body.addOutput("counts", count);
        var spec =
                NodeSpec.of(OpId.onnx("Loop"), 21, null, null).with(Attributes.of("body", Attribute.of(body.graph())));
        Node loop = editor.append(spec, Arrays.asList((String) null));
        SchemaPass.over(editor.graph());
        assertThat(loop.output(0)).isNull();
    }

    @Test
    void attributesOfOtherDomainsStay() {
        Node context = editor.append(
                NodeSpec.of(new OpId(OpId.MICROSOFT, "EPContext"), 1, floats)
                        .with("millrace_context_digest", Attribute.of("of its binary"))
                        .with("of_a_vendor", Attribute.of(1)),
                List.of("y"));
        assertThat(SchemaPass.over(editor.graph())).singleElement().asString().contains("attribute 'of_a_vendor'");
        assertThat(context.attributes().names()).containsExactlyInAnyOrder("millrace_context_digest", "of_a_vendor");
    }

    @Test
    void operatorsOfALaterOpsetAreRefusedAndForeignOnesPass() {
        assertThat(errors(node("Gelu", 13, Attributes.NONE, floats)))
                .containsExactly("Gelu 'n': the operator exists since opset 20, but the model imports opset 13 of its"
                        + " domain");
        assertThat(errors(node("NoSuchThing", 13, Attributes.NONE, floats))).isEmpty();
    }

    @Test
    void throwingNamesEveryError() {
        SchemaCheck check = SchemaCheck.check(node("Concat", 13, Attributes.NONE));
        assertThatThrownBy(check::orThrow)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining("0 inputs")
                .hasMessageContaining("'axis'");
    }
}
