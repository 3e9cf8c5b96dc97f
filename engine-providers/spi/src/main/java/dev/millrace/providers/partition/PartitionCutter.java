package dev.millrace.providers.partition;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.NoteCopies;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.Partition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Takes a group of nodes out of a graph, makes them a graph of their own, and puts one node in their place; and back. */
public final class PartitionCutter {
    /** The domain of nodes that stand for partitions; the operator's name is the provider's. */
    static final String DOMAIN = "dev.millrace.fused";

    private final Graph around;
    private final Graph part;
    private final GraphEditor editor;
    private final Map<Value, Value> copies = new LinkedHashMap<>();
    private final List<Value> inputs = new ArrayList<>();
    private final NoteCopies notes = new NoteCopies();

    private PartitionCutter(Graph around, String name) {
        this.around = around;
        this.part = Graph.named(name);
        this.editor = new GraphEditor(part);
    }

    /**
     * Cuts a group out of a graph.
     *
     * @param group convex, in topological order
     */
    public static Partition cut(Graph around, List<Node> group, String provider, String name) {
        return new PartitionCutter(around, name).cut(group, provider, name);
    }

    private Partition cut(List<Node> group, String provider, String name) {
        for (Node node : group) {
            copy(node);
        }
        notes.carry(value -> copies.getOrDefault(value, value));
        Set<Node> members = new HashSet<>(group);
        var outputs = new ArrayList<Value>();
        for (Node node : group) {
            for (Value output : node.outputs()) {
                if (output != null && isReadOutside(output, members)) {
                    outputs.add(output);
                    editor.addOutput(output.name(), copyOf(output));
                }
            }
        }
        NodeSpec spec = NodeSpec.of(new OpId(DOMAIN, provider), 1, inputs.toArray(new Value[0]))
                .named(name);
        Node anchor = group.getLast().next();
        var outer = new GraphEditor(around);
        group.forEach(outer::replaceProducer);
        Node fused = outer.insert(spec, anchor, outputs.toArray(new Value[0]));
        return new Partition(name, part, fused);
    }

    /** Puts the nodes of a partition where its one node stands, and returns them in their order. */
    static List<Node> putBack(Partition partition) {
        Node fused = partition.fused();
        Graph part = partition.graph();
        var editor = new GraphEditor(fused.graph());
        Map<Value, @Nullable Value> values = new IdentityHashMap<>();
        for (int i = 0; i < part.inputs().size(); i++) {
            values.put(part.inputs().get(i), fused.input(i));
        }
        Node before = fused.previous();
        List<@Nullable Value> made = GraphCopier.copyInto(part, editor, fused, values, GraphCopier.Rewrite.NOTHING);
        for (int i = 0; i < made.size(); i++) {
            Value output = made.get(i);
            if (output != null) {
                editor.replaceUses(fused.requireOutput(i), output);
            }
        }
        var nodes = new ArrayList<Node>();
        Node node = before == null ? fused.graph().firstNode() : before.next();
        for (; node != null && node != fused; node = node.next()) {
            nodes.add(node);
        }
        editor.remove(fused);
        return nodes;
    }

    private boolean isReadOutside(Value value, Set<Node> members) {
        return value.isGraphOutput() || value.users().stream().anyMatch(user -> !members.contains(user.within(around)));
    }

    private void copy(Node node) {
        var mapped = new ArrayList<@Nullable Value>();
        for (Value input : node.inputs()) {
            mapped.add(input == null ? null : copyOf(input));
        }
        @Nullable Value[] outputs = new Value[node.outputs().size()];
        for (int i = 0; i < outputs.length; i++) {
            Value output = node.output(i);
            if (output != null) {
                Value copy = editor.value(output.name(), output.type());
                made(output, copy);
                outputs[i] = copy;
            }
        }
        node.captured().forEach(this::copyOf);
        // Nested graphs read the part's own values.
        Attributes attributes = node.attributes().withGraphs(nested -> GraphCopier.copy(nested, part, copies));
        editor.insert(NodeSpec.like(node, mapped).with(attributes), null, outputs);
    }

    /** The part's own value for one of the graph around: made inside, a constant, or an input of the part. */
    private Value copyOf(Value value) {
        Value known = copies.get(value);
        if (known != null) {
            return known;
        }
        Tensor constant = value.constant();
        Value copy;
        if (constant != null) {
            copy = editor.addConstant(value.name(), constant);
        } else {
            copy = editor.addInput(value.name(), value.type());
            inputs.add(value);
        }
        made(value, copy);
        return copy;
    }

    private void made(Value value, Value copy) {
        copies.put(value, copy);
        notes.made(value, copy);
    }
}
