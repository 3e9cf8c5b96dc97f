package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A nested graph, written down by a test for a {@link OneNode}. It reads nothing of the graph around it. */
public final class NestedBody {
    private static final int OPSET = 21;

    private final GraphEditor editor = new GraphEditor(Graph.nested("body", Graph.named("around")));
    private int made;

    public Value input(String name, @Nullable ValueType type) {
        return editor.addInput(name, type);
    }

    public Value constant(Tensor value) {
        return editor.addConstant("constant" + made++, value);
    }

    /** Adds a node of ONNX's own domain with one output. */
    public Value op(String name, Value... inputs) {
        return add(NodeSpec.of(OpId.onnx(name), OPSET, inputs));
    }

    public Value add(NodeSpec spec) {
        return editor.append(spec, List.of("value" + made++)).requireOutput(0);
    }

    /** Declares the next output, which a value gives. */
    public NestedBody gives(Value value, @Nullable ValueType type) {
        editor.setType(value, type);
        editor.addOutput("output" + editor.graph().outputs().size(), value);
        return this;
    }

    public Attribute attribute() {
        return Attribute.of(editor.graph());
    }
}
