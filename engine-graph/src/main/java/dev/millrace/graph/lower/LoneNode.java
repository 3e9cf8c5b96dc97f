package dev.millrace.graph.lower;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Copies a node into a graph of its own, with the inputs that are not omitted and the outputs that are read. */
final class LoneNode {
    private final Node node;
    private final Facts facts;
    private final GraphEditor editor;

    private LoneNode(Node node, Facts facts) {
        this.node = node;
        this.facts = facts;
        editor = new GraphEditor(Graph.named(node.describe()));
    }

    /** @param facts the types of the node's inputs */
    static Graph of(Node node, Facts facts) {
        return new LoneNode(node, facts).graph();
    }

    /** Returns the types of a node's inputs as its graph has them, without contents. */
    static Facts declared(Node node) {
        return new Facts() {
            @Override
            public @Nullable ValueType type(int input) {
                Value value = node.input(input);
                return value == null ? null : value.type();
            }

            @Override
            public @Nullable Tensor value(int input) {
                return null;
            }
        };
    }

    /** Returns the numbers of the outputs of a node that are read. */
    static List<Integer> readOutputs(Node node) {
        var read = new ArrayList<Integer>();
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output != null && output.isUsed()) {
                read.add(i);
            }
        }
        return read;
    }

    private Graph graph() {
        Map<Value, Value> copies = new HashMap<>();
        List<@Nullable Value> inputs = new ArrayList<>();
        for (int i = 0; i < node.inputs().size(); i++) {
            Value input = node.input(i);
            inputs.add(input == null ? null : copy(i, input, copies));
        }
        @Nullable Value[] outputs = new Value[node.outputs().size()];
        for (int i = 0; i < outputs.length; i++) {
            Value output = node.output(i);
            outputs[i] = output == null ? null : editor.value(output.name(), null);
        }
        Attributes attributes = node.attributes().withGraphs(body -> GraphCopier.copy(body, editor.graph(), copies));
        editor.insert(NodeSpec.like(node, inputs).with(attributes), null, outputs);
        for (int i : readOutputs(node)) {
            Value copy = Objects.requireNonNull(outputs[i]);
            editor.addOutput(copy.name(), copy);
        }
        return editor.graph();
    }

    /** Adds an input to the graph and returns it, or a constant where the input is one. */
    private Value copy(int index, Value input, Map<Value, Value> copies) {
        Value argument = editor.addInput(input.name(), facts.type(index));
        Tensor constant = input.constant();
        return copies.computeIfAbsent(
                input, _ -> constant == null ? argument : editor.addConstant(input.name(), constant));
    }
}
