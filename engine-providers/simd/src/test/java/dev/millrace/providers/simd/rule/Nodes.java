package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Adds ONNX's nodes to a graph of a test. */
public record Nodes(GraphEditor editor, int opset) {
    public Value add(String op, Attributes attributes, @Nullable Value... inputs) {
        return addSplit(1, op, attributes, inputs).getFirst();
    }

    /** A node of as many outputs. */
    public List<Value> addSplit(int outputs, String op, Attributes attributes, @Nullable Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx(op), opset, inputs).with(attributes);
        String name = op + editor.graph().nodeCount();
        List<@Nullable String> names = new ArrayList<>();
        for (int i = 0; i < outputs; i++) {
            names.add(name + "_" + i);
        }
        Node node = editor.append(spec, names);
        return IntStream.range(0, outputs).mapToObj(node::requireOutput).toList();
    }

    public Value constant(Tensor tensor) {
        return editor.addConstant("constant" + editor.graph().constants().size(), tensor);
    }

    public Value constant(long... numbers) {
        return constant(Tensor.copyOf(numbers, numbers.length));
    }

    public Value constant(float... numbers) {
        return constant(Tensor.copyOf(numbers, numbers.length));
    }

    public void output(Value value) {
        editor.addOutput(value.name(), value);
    }
}
