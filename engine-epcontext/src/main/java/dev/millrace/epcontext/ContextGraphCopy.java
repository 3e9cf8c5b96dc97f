package dev.millrace.epcontext;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.NoteCopies;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.Partition;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies a graph that was shared out, with what it has nested. The stand-in of a partition that was kept becomes a context
 * node, that of another the nodes that it was made from. Constants that nobody reads any more are left behind.
 */
final class ContextGraphCopy {
    /** Says which attributes a context node has. */
    interface ContextNodes {
        /** The attributes of the partition's node, or null where nothing was kept of it. */
        @Nullable
        Attributes attributes(Partitioning.Fused fused);
    }

    private final IdentityHashMap<Node, Partitioning.Fused> fused = new IdentityHashMap<>();
    private final IdentityHashMap<Value, Value> copies = new IdentityHashMap<>();
    private final NoteCopies notes = new NoteCopies();
    private final ContextNodes contexts;
    private final int opset;

    private ContextGraphCopy(Partitioning parts, ContextNodes contexts, int opset) {
        parts.fused().forEach(each -> fused.put(each.partition().fused(), each));
        this.contexts = contexts;
        this.opset = opset;
    }

    /** @param opset the opset of {@link EpContext#OP}'s domain */
    static Graph of(Partitioning parts, ContextNodes contexts, int opset) {
        var copier = new ContextGraphCopy(parts, contexts, opset);
        Graph copy = copier.copy(parts.graph(), null);
        copier.notes.carry(value -> copier.copies.getOrDefault(value, value));
        return copy;
    }

    private Graph copy(Graph graph, @Nullable Graph around) {
        Graph copy = around == null ? Graph.named(graph.name()) : Graph.nested(graph.name(), around);
        var editor = new GraphEditor(copy);
        editor.document(graph.documentation());
        graph.metadata().forEach(editor::metadata);
        for (Value input : graph.inputs()) {
            Value made = editor.addInput(input.name(), input.described());
            made(input, made);
            Tensor otherwise = graph.defaultOf(input);
            if (otherwise != null) {
                editor.defaultInput(made, otherwise);
            }
        }
        copyContent(graph, editor);
        for (int i = 0; i < graph.outputs().size(); i++) {
            editor.addOutput(graph.outputNames().get(i), copyOf(graph.outputs().get(i)));
        }
        notes.made(graph, copy);
        return copy;
    }

    private void copyContent(Graph from, GraphEditor editor) {
        for (Value constant : from.constants()) {
            Tensor tensor = constant.constant();
            if (tensor != null && constant.isUsed()) {
                made(constant, editor.addConstant(constant.name(), tensor));
            }
        }
        for (Node node : from.nodes()) {
            Partitioning.Fused stands = fused.get(node);
            Attributes context = stands == null ? null : contexts.attributes(stands);
            if (stands == null) {
                Attributes attributes = node.attributes().withGraphs(nested -> copy(nested, editor.graph()));
                insert(node, NodeSpec.like(node, inputs(node)).with(attributes), editor);
            } else if (context == null) {
                putBack(stands.partition(), editor);
            } else {
                NodeSpec spec = NodeSpec.of(EpContext.OP, opset, inputs(node))
                        .named(context.text(EpContext.PARTITION))
                        .with(context);
                insert(node, spec, editor);
            }
        }
    }

    private void insert(Node node, NodeSpec spec, GraphEditor editor) {
        @Nullable Value[] outputs = new Value[node.outputs().size()];
        for (int i = 0; i < outputs.length; i++) {
            Value output = node.output(i);
            if (output != null) {
                Value copy = editor.value(output.name(), output.described());
                made(output, copy);
                outputs[i] = copy;
            }
        }
        editor.insert(spec, null, outputs);
    }

    private void putBack(Partition partition, GraphEditor editor) {
        Node node = partition.fused();
        Graph part = partition.graph();
        for (int i = 0; i < part.inputs().size(); i++) {
            copies.put(part.inputs().get(i), copyOf(node.requireInput(i)));
        }
        copyContent(part, editor);
        for (int i = 0; i < part.outputs().size(); i++) {
            copies.put(node.requireOutput(i), copyOf(part.outputs().get(i)));
        }
    }

    private List<@Nullable Value> inputs(Node node) {
        var inputs = new ArrayList<@Nullable Value>();
        for (Value input : node.inputs()) {
            inputs.add(input == null ? null : copyOf(input));
        }
        return inputs;
    }

    private void made(Value value, Value copy) {
        copies.put(value, copy);
        notes.made(value, copy);
    }

    private Value copyOf(Value value) {
        Value copy = copies.get(value);
        if (copy == null) {
            throw new IllegalStateException("value '" + value.name() + "' is read before it is made");
        }
        return copy;
    }
}
