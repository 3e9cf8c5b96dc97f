package dev.millrace.bench.kernels;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small ONNX model with its inputs, written node by node. */
public final class ReferenceModel {
    private static final int OPSET = 21;
    private static final int IR_VERSION = 10;

    private final int opset;
    private final Graph graph = Graph.named("kernel");
    private final GraphEditor editor = new GraphEditor(graph);
    private final Map<String, Tensor> inputs = new LinkedHashMap<>();
    private int nodes;

    public ReferenceModel() {
        this(OPSET);
    }

    /** @param opset the version of ONNX's operators */
    public ReferenceModel(int opset) {
        this.opset = opset;
    }

    public Value input(String name, Tensor data) {
        inputs.put(name, data);
        return editor.addInput(name, ValueType.tensor(data.type(), data.shape()));
    }

    /** An input whose data is made later. */
    public Value input(String name, ValueType type) {
        return editor.addInput(name, type);
    }

    public Value constant(String name, Tensor data) {
        return editor.addConstant(name, data);
    }

    /** An operator of ONNX itself, with one output. */
    public Value node(String op, Value... operands) {
        return node(op, Attributes.NONE, operands);
    }

    /** An operator of ONNX itself, with one output. */
    public Value node(String op, Attributes attributes, Value... operands) {
        return node(NodeSpec.of(OpId.onnx(op), opset, operands).with(attributes));
    }

    /** Any node with one output. */
    public Value node(NodeSpec spec) {
        nodes++;
        return editor.append(spec.named("node" + nodes), List.of("value" + nodes))
                .requireOutput(0);
    }

    /** A node with several outputs. */
    public List<Value> nodes(NodeSpec spec, String... names) {
        nodes++;
        return editor.append(spec.named("node" + nodes), List.of(names)).outputs().stream()
                .map(Value.class::cast)
                .toList();
    }

    public void output(String name, Value value) {
        editor.addOutput(name, value);
    }

    Map<String, Tensor> inputs() {
        return inputs;
    }

    public byte[] bytes() {
        var header = new Model.Header(IR_VERSION, "millrace", "1", "", 1, "");
        Map<String, Integer> opsets = Map.of(OpId.ONNX, opset, OpId.MICROSOFT, 1);
        return Models.toBytes(new Model(header, opsets, Map.of(), Map.of(), graph, null));
    }
}
