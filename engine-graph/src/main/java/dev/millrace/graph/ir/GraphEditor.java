package dev.millrace.graph.ir;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The primitive changes of a graph. Each keeps producers, users and order consistent. Not for several threads. */
public final class GraphEditor {
    private final Graph graph;

    public GraphEditor(Graph graph) {
        graph.checkChangeable();
        this.graph = graph;
    }

    public Graph graph() {
        return graph;
    }

    public void document(DocString text) {
        graph.documentation = text;
    }

    public void metadata(String key, String value) {
        graph.metadata.put(key, value);
    }

    /** A value without a source yet. */
    public Value value(String name, @Nullable ValueType type) {
        return new Value(graph, name, type);
    }

    public Value addInput(String name, @Nullable ValueType type) {
        Value value = value(name, type);
        graph.inputs.add(value);
        return value;
    }

    /** Adds an input that is {@code otherwise} for callers that leave it out. */
    public Value addInput(String name, @Nullable ValueType type, Tensor otherwise) {
        Value value = addInput(name, type);
        graph.defaults.put(value, otherwise);
        return value;
    }

    /** Gives an input a value for callers that leave it out. */
    public void defaultInput(Value input, Tensor value) {
        if (!graph.inputs.contains(input)) {
            throw new IllegalArgumentException(input + " is no input of " + graph);
        }
        graph.defaults.put(input, value);
    }

    public Value addConstant(String name, Tensor tensor) {
        Value value = value(name, null);
        makeConstant(value, tensor);
        return value;
    }

    /** Makes a value that has no source yet a constant. */
    public void makeConstant(Value value, Tensor tensor) {
        if (value.producer != null || value.constant != null || value.graph() != graph) {
            throw new IllegalArgumentException(value + " has a source, or is of another graph");
        }
        value.type = ValueType.tensor(tensor.type(), tensor.shape());
        value.constant = tensor;
        graph.constants.add(value);
    }

    public void removeConstant(Value value) {
        if (value.isUsed()) {
            throw new IllegalStateException(value + " is still used");
        }
        graph.constants.remove(value);
    }

    public void addOutput(String name, Value value) {
        graph.addOutput(name, value);
        value.outputOf.add(graph);
    }

    public void setType(Value value, @Nullable ValueType type) {
        value.type = type;
    }

    /** Notes what the model says of a value, beside what is known of it. */
    public void declare(Value value, @Nullable ValueType type) {
        value.declared = type;
    }

    /** Notes what a file says of a value beside its type. */
    public void note(Value value, ValueNotes notes) {
        value.notes = notes;
    }

    /** Notes what a file says of an output beside its type. */
    public void noteOutput(int index, ValueNotes notes) {
        graph.outputNotes.set(index, notes);
    }

    public void rename(Value value, String name) {
        value.rename(name);
    }

    public void setAttributes(Node node, Attributes attributes) {
        node.attributes = attributes;
        adopt(node);
    }

    private static void adopt(Node node) {
        for (Graph nested : node.attributes.graphs()) {
            nested.owner = node;
        }
    }

    /** Adds a node at the end, with fresh outputs of these names; a null name is an omitted output. */
    public Node append(NodeSpec spec, List<@Nullable String> outputNames) {
        @Nullable Value[] outputs = new Value[outputNames.size()];
        for (int i = 0; i < outputs.length; i++) {
            String name = outputNames.get(i);
            outputs[i] = name == null ? null : value(name, null);
        }
        return insert(spec, null, outputs);
    }

    /** Adds a node before {@code anchor} (at the end where null) that produces {@code outputs}, which have no source yet. */
    public Node insert(NodeSpec spec, @Nullable Node anchor, @Nullable Value... outputs) {
        Node node = new Node(graph, spec, outputs.clone());
        for (int i = 0; i < outputs.length; i++) {
            Value output = outputs[i];
            if (output == null) {
                continue;
            }
            if (output.producer != null || output.constant != null || output.graph() != graph) {
                throw EngineException.invalidGraph(
                        "value '" + output.name() + "' has two sources; each value is written once");
            }
            output.producer = node;
            output.outputIndex = i;
        }
        for (Value input : node.inputs) {
            if (input != null) {
                input.users.add(node);
            }
        }
        adopt(node);
        link(node, anchor);
        return node;
    }

    /** Lets a node give an output that it left out. */
    public Value addOutput(Node node, int index, String name) {
        if (node.outputs[index] != null) {
            throw new IllegalArgumentException(node + " has an output " + index);
        }
        Value output = value(name, null);
        output.producer = node;
        output.outputIndex = index;
        node.outputs[index] = output;
        return output;
    }

    private void link(Node node, @Nullable Node anchor) {
        if (anchor != null && anchor.graph() != graph) {
            throw new IllegalArgumentException("anchor " + anchor + " is in another graph");
        }
        Node before = anchor == null ? graph.last : anchor.previous;
        node.previous = before;
        node.next = anchor;
        if (before == null) {
            graph.first = node;
        } else {
            before.next = node;
        }
        if (anchor == null) {
            graph.last = node;
        } else {
            anchor.previous = node;
        }
        graph.nodeCount++;
    }

    /** Moves {@code node} to stand right before {@code anchor}. */
    public void move(Node node, Node anchor) {
        unlink(node);
        link(node, anchor);
    }

    /** Lets the nodes stand in this order, which names each of them once. */
    void reorder(List<Node> order) {
        for (Node node : order) {
            unlink(node);
            link(node, null);
        }
    }

    /** Takes a node out whose outputs nothing uses. */
    public void remove(Node node) {
        requireUnused(node);
        detach(node);
    }

    /** Takes nodes of any graphs out whose outputs nothing uses; what they read is searched once for all of them. */
    static void removeAll(Collection<Node> nodes) {
        var gone = new HashSet<Node>();
        var goneGraphs = new HashSet<Graph>();
        var read = new HashSet<Value>();
        nodes.forEach(node -> collect(node, gone, goneGraphs, read));
        for (Value value : read) {
            value.users.removeIf(gone::contains);
            value.outputOf.removeIf(goneGraphs::contains);
        }
        for (Node node : nodes) {
            requireUnused(node);
            new GraphEditor(node.graph()).unlink(node);
            node.removed = true;
        }
    }

    private static void requireUnused(Node node) {
        for (Value output : node.outputs) {
            if (output != null && output.isUsed()) {
                throw new IllegalStateException("output " + output + " of " + node.describe() + " is still used");
            }
        }
    }

    private static void collect(Node node, Set<Node> nodes, Set<Graph> graphs, Set<Value> read) {
        nodes.add(node);
        for (Value input : node.inputs) {
            if (input != null) {
                read.add(input);
            }
        }
        for (Graph nested : node.attributes.graphs()) {
            graphs.add(nested);
            read.addAll(nested.outputs);
            nested.nodes().forEach(inner -> collect(inner, nodes, graphs, read));
        }
    }

    /** Takes a node out and frees its outputs for another source; the caller inserts one before the graph is read. */
    public void replaceProducer(Node node) {
        detach(node);
        for (Value output : node.outputs) {
            if (output != null) {
                output.producer = null;
            }
        }
    }

    private void detach(Node node) {
        forgetUses(node);
        unlink(node);
        node.removed = true;
    }

    private void unlink(Node node) {
        if (node.previous == null) {
            graph.first = node.next;
        } else {
            node.previous.next = node.next;
        }
        if (node.next == null) {
            graph.last = node.previous;
        } else {
            node.next.previous = node.previous;
        }
        graph.nodeCount--;
    }

    private static void forgetUses(Node node) {
        for (Value input : node.inputs) {
            if (input != null) {
                input.users.drop(node);
            }
        }
        for (Graph nested : node.attributes.graphs()) {
            for (Node inner : nested.nodes()) {
                forgetUses(inner);
            }
            for (Value output : nested.outputs) {
                output.outputOf.remove(nested);
            }
        }
    }

    public void setInput(Node node, int index, @Nullable Value value) {
        Value old = node.inputs[index];
        if (old != null) {
            old.users.drop(node);
        }
        node.setInput(index, value);
        if (value != null) {
            value.users.add(node);
        }
    }

    /** Lets every reader of {@code old}, nested graphs and graph outputs included, read {@code replacement}. */
    public void replaceUses(Value old, Value replacement) {
        if (old == replacement) {
            return;
        }
        for (Node user : List.copyOf(old.users)) {
            for (int count = user.replaceInput(old, replacement); count > 0; count--) {
                replacement.users.add(user);
            }
        }
        old.users.clear();
        for (Graph reader : old.outputOf) {
            reader.replaceOutput(old, replacement);
            replacement.outputOf.add(reader);
        }
        old.outputOf.clear();
    }
}
