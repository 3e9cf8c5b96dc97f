package dev.millrace.graph.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class StoredConstantsTest {
    private static final Tensor FLOATS = Tensor.copyOf(new float[] {1, 2}, 2);

    private static final Tensor EIGHTS = Tensor.allocate(ElementType.FLOAT8E4M3FN, Shape.of(1));

    private final Graph graph = Graph.named("g");
    private final GraphEditor editor = new GraphEditor(graph);

    @Test
    void aStoredTensorIsAConstantThatItsReadersRead() {
        Node first = constant(13, Attributes.of("value", Attribute.of(FLOATS)), "c");
        Node reader = node("Neg", 13, List.of(first.output(0)), Attributes.NONE, "y");
        editor.addOutput("y", output(reader));
        editor.addOutput("c", output(first));

        StoredConstants.over(graph);

        assertThat(graph.nodes()).containsExactly(reader);
        Value read = Objects.requireNonNull(reader.input(0));
        assertThat(read.constant()).isSameAs(FLOATS);
        assertThat(read.name()).isEqualTo("c");
        assertThat(graph.outputs().get(1).isConstant()).isTrue();
        assertThat(graph.constants()).containsExactly(read);
    }

    @Test
    void thoseOfBodiesBecomeConstantsThere() {
        var body = Graph.nested("body", graph);
        var inside = new GraphEditor(body);
        Node node = inside.append(
                new NodeSpec(
                        OpId.onnx("Constant"), 13, "", "", List.of(), Attributes.of("value", Attribute.of(FLOATS))),
                List.of("c"));
        inside.addOutput("c", output(node));
        Value condition = editor.addInput("if", ValueType.tensor(ElementType.BOOL, SymbolicShape.of(Shape.SCALAR)));
        node(
                "If",
                13,
                List.of(condition),
                Attributes.of("then_branch", Attribute.of(body)).with("else_branch", Attribute.of(body)),
                "y");

        StoredConstants.over(graph);

        assertThat(body.nodeCount()).isZero();
        assertThat(body.outputs().get(0).constant()).isSameAs(FLOATS);
    }

    @Test
    void whateverSomethingIsWrongWithStaysForThoseWhoSaySo() {
        List<Node> wrong = new ArrayList<>();
        wrong.add(constant(13, Attributes.of("value", Attribute.of(EIGHTS)), "a type of opset 19"));
        wrong.add(constant(13, Attributes.of("value", Attribute.of(FLOATS)).with("x", Attribute.of(1L)), "unknown"));
        wrong.add(constant(13, Attributes.NONE, "none"));
        Node misdeclared = constant(13, Attributes.of("value", Attribute.of(FLOATS)), "declared otherwise");
        editor.declare(output(misdeclared), ValueType.tensor(ElementType.INT64, SymbolicShape.of(Shape.of(2))));
        wrong.add(misdeclared);

        StoredConstants.over(graph);

        assertThat(graph.nodes()).containsExactlyElementsOf(wrong);
    }

    @Test
    void otherFormsAreLeftToTheOptimiser() {
        Node number = constant(13, Attributes.of("value_float", Attribute.of(1.5f)), "number");

        StoredConstants.over(graph);

        assertThat(graph.nodes()).containsExactly(number);
    }

    private Node constant(int opset, Attributes attributes, String name) {
        return node("Constant", opset, List.of(), attributes, name);
    }

    private Node node(String op, int opset, List<Value> inputs, Attributes attributes, String output) {
        return editor.append(
                new NodeSpec(OpId.onnx(op), opset, "", "", List.copyOf(inputs), attributes), List.of(output));
    }

    private static Value output(Node node) {
        return Objects.requireNonNull(node.output(0));
    }
}
