package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds ONNX's nodes to a graph of a test. */
record Nodes(GraphEditor editor, int opset) {
    Value add(String op, Attributes attributes, @Nullable Value... inputs) {
        NodeSpec spec = NodeSpec.of(new OpId(OpId.ONNX, op), opset, inputs).with(attributes);
        return editor.append(spec, List.of(op + editor.graph().nodeCount())).requireOutput(0);
    }

    /** A node of two outputs. */
    List<Value> addPair(String op, Attributes attributes, @Nullable Value... inputs) {
        NodeSpec spec = NodeSpec.of(new OpId(OpId.ONNX, op), opset, inputs).with(attributes);
        String name = op + editor.graph().nodeCount();
        Node node = editor.append(spec, List.of(name + "a", name + "b"));
        return List.of(node.requireOutput(0), node.requireOutput(1));
    }

    Value constant(Tensor tensor) {
        return editor.addConstant("constant" + editor.graph().constants().size(), tensor);
    }

    Value constant(long... numbers) {
        return constant(Tensor.copyOf(numbers, numbers.length));
    }

    Value constant(float... numbers) {
        return constant(Tensor.copyOf(numbers, numbers.length));
    }

    void output(Value value) {
        editor.addOutput(value.name(), value);
    }
}
