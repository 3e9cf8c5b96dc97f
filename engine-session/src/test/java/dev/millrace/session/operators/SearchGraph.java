package dev.millrace.session.operators;

import dev.millrace.graph.ir.Attribute;
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
import java.util.List;
import java.util.stream.IntStream;

/** A graph inside of a search, that knows how likely which word follows which: 0 fills, 1 ends, 2 begins. */
final class SearchGraph {
    static final int WORDS = 5;
    /** A row for each word. */
    private static final double[] CHANCES = {
        0.2, 0.2, 0.2, 0.2, 0.2, //
        0.2, 0.2, 0.2, 0.2, 0.2, //
        0.03, 0.05, 0.02, 0.5, 0.4, //
        0.1, 0.1, 0.2, 0.35, 0.25, //
        0.025, 0.9, 0.02, 0.03, 0.025
    };

    private static final int OPSET = 21;

    private final GraphEditor editor;

    SearchGraph(String name) {
        editor = new GraphEditor(Graph.named(name));
    }

    Value words(String name) {
        return input(name, ElementType.INT32, Shape.of(1, 1));
    }

    Value input(String name, ElementType type, Shape shape) {
        return editor.addInput(name, ValueType.tensor(type, shape));
    }

    Value input(String name, ElementType type, SymbolicShape shape) {
        return editor.addInput(name, ValueType.tensor(type, shape));
    }

    Value constant(String name, Tensor tensor) {
        return editor.addConstant(name, tensor);
    }

    Value axes(long... axes) {
        return editor.addConstant("axes", Tensor.copyOf(axes, axes.length));
    }

    NodeSpec spec(String op, Value... inputs) {
        return NodeSpec.of(OpId.onnx(op), OPSET, inputs);
    }

    Value op(String op, Value... inputs) {
        return add(spec(op, inputs));
    }

    Value add(NodeSpec spec) {
        return add(spec, spec.op().name()).getFirst();
    }

    List<Value> add(NodeSpec spec, String... names) {
        Node node = editor.append(spec, List.of(names));
        return IntStream.range(0, names.length).mapToObj(node::requireOutput).toList();
    }

    /** An operator whose result is an output of the graph. */
    void op(String op, String output, Shape shape, Value... inputs) {
        output(
                output,
                SymbolicShape.of(shape),
                editor.append(spec(op, inputs), List.of(output)).requireOutput(0));
    }

    void output(String name, SymbolicShape shape, Value value) {
        editor.declare(value, ValueType.tensor(ElementType.FLOAT, shape));
        editor.addOutput(name, value);
    }

    /** The logarithms of all chances, by the word before. */
    Value table() {
        float[] logs = new float[CHANCES.length];
        for (int i = 0; i < logs.length; i++) {
            logs[i] = (float) Math.log(CHANCES[i]);
        }
        return constant("table", Tensor.copyOf(logs, WORDS, WORDS));
    }

    void scores(Value words) {
        op("Gather", "logits", Shape.of(1, 1, WORDS), table(), words);
    }

    Attribute attribute() {
        return Attribute.of(editor.graph());
    }
}
