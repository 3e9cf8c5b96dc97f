package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A graph that a test writes down in a few lines. */
final class TestGraph {
    private final GraphEditor editor;
    private final int opset;
    private int names;

    TestGraph(int opset) {
        this(Graph.named("test"), opset);
    }

    TestGraph(Graph graph, int opset) {
        this.editor = new GraphEditor(graph);
        this.opset = opset;
    }

    Graph graph() {
        return editor.graph();
    }

    TestGraph nested() {
        return new TestGraph(Graph.nested("body", graph()), opset);
    }

    /** A shape of numbers and names; {@code ?} is unknown. */
    static SymbolicShape shape(Object... dims) {
        var shape = new ArrayList<Dim>();
        for (Object dim : dims) {
            shape.add(
                    dim instanceof Number number
                            ? Dim.of(number.longValue())
                            : dim.equals("?") ? Dim.UNKNOWN : Dim.symbol((String) dim));
        }
        return new SymbolicShape(shape);
    }

    Value input(String name, ElementType element, Object... dims) {
        return editor.addInput(name, ValueType.tensor(element, shape(dims)));
    }

    Value input(String name, ValueType type) {
        return editor.addInput(name, type);
    }

    Value constant(long... values) {
        return editor.addConstant("c" + names++, Tensor.copyOf(values, values.length));
    }

    Value scalar(long value) {
        return editor.addConstant("c" + names++, Tensor.scalar(value));
    }

    Value constant(Tensor tensor) {
        return editor.addConstant("c" + names++, tensor);
    }

    /** A node of ONNX's domain with one output. */
    Value node(String op, Attributes attributes, @Nullable Value... inputs) {
        return Objects.requireNonNull(add(OpId.onnx(op), 1, attributes, inputs).output(0));
    }

    Value node(String op, @Nullable Value... inputs) {
        return node(op, Attributes.NONE, inputs);
    }

    Node add(OpId op, int outputs, Attributes attributes, @Nullable Value... inputs) {
        var outputNames = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            outputNames.add("v" + names++);
        }
        int version = op.domain().isEmpty() ? opset : 1;
        return editor.append(NodeSpec.of(op, version, inputs).with(attributes), outputNames);
    }

    void output(Value value) {
        editor.addOutput(value.name(), value);
    }

    TestGraph infer() {
        TypeInference.infer(graph());
        return this;
    }

    static Attributes ints(String name, long... values) {
        return Attributes.of(name, Attribute.of(values));
    }

    static Attributes integer(String name, long value) {
        return Attributes.of(name, Attribute.of(value));
    }
}
