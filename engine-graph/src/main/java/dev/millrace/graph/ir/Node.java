package dev.millrace.graph.ir;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One operator call. An omitted optional input or output is null. Changed by a {@link GraphEditor} only. */
public final class Node {
    private static final int FEW_INPUTS = 64;

    private final Graph graph;
    private final OpId op;
    private final int opset;
    private final String name;
    private final String overload;
    private final Remarks remarks;
    Attributes attributes;
    final @Nullable Value[] inputs;
    /** The positions of the inputs by value. It exists once an input of a node with many inputs is replaced. */
    private @Nullable Places inputPlaces;

    final @Nullable Value[] outputs;

    private final List<@Nullable Value> inputView;
    private final List<@Nullable Value> outputView;

    @Nullable
    Node previous;

    @Nullable
    Node next;

    boolean removed;

    Node(Graph graph, NodeSpec spec, @Nullable Value[] outputs) {
        this.graph = graph;
        this.op = spec.op();
        this.opset = spec.opset();
        this.name = spec.name();
        this.overload = spec.overload();
        this.remarks = spec.remarks();
        this.attributes = spec.attributes();
        this.inputs = spec.inputs().toArray(new Value[0]);
        this.outputs = outputs;
        inputView = Collections.unmodifiableList(Arrays.<@Nullable Value>asList(inputs));
        outputView = Collections.unmodifiableList(Arrays.<@Nullable Value>asList(outputs));
    }

    public Graph graph() {
        return graph;
    }

    /**
     * Returns the node of {@code around} that contains this one, or this one itself; null where {@code around} does not
     * contain it.
     */
    public @Nullable Node within(Graph around) {
        return Graph.nodeIn(around, this);
    }

    /**
     * Returns the nodes of {@code around}, a graph that contains this node, that read an output, themselves or in a
     * nested graph.
     */
    public List<Node> readersIn(Graph around) {
        var found = new LinkedHashSet<Node>();
        for (Value output : outputs) {
            if (output != null) {
                output.users.forEach(user -> addIfPresent(found, user.within(around)));
                for (Graph reader : output.outputOf) {
                    if (reader != around && reader.owner != null) {
                        addIfPresent(found, reader.owner.within(around));
                    }
                }
            }
        }
        return List.copyOf(found);
    }

    /** Returns the values of the enclosing graphs that graphs nested in this node read or return, each once. */
    public Set<Value> captured() {
        var found = new LinkedHashSet<Value>();
        attributes.graphs().forEach(nested -> addCaptured(nested, found));
        return found;
    }

    private void addCaptured(Graph nested, Set<Value> found) {
        for (Node inner : nested.nodes()) {
            for (Value input : inner.inputs) {
                if (input != null && isAround(input)) {
                    found.add(input);
                }
            }
            inner.attributes.graphs().forEach(deeper -> addCaptured(deeper, found));
        }
        nested.outputs.stream().filter(this::isAround).forEach(found::add);
    }

    private boolean isAround(Value value) {
        return Graph.nodeIn(graph, value.graph().owner) != this;
    }

    private static void addIfPresent(Set<Node> found, @Nullable Node node) {
        if (node != null) {
            found.add(node);
        }
    }

    public OpId op() {
        return op;
    }

    /** Whether this is ONNX's own operator {@code opName}. */
    public boolean is(String opName) {
        return op.isOnnx(opName);
    }

    /** The opset of {@link #op()}'s domain for this node; it selects the operator's version. */
    public int opset() {
        return opset;
    }

    /** The node's name in the file; may be empty. */
    public String name() {
        return name;
    }

    /** Selects among model-local functions of one name; empty almost always. */
    public String overload() {
        return overload;
    }

    /** The node's documentation and metadata in the file; they last as long as the node. */
    public Remarks remarks() {
        return remarks;
    }

    public Attributes attributes() {
        return attributes;
    }

    /** A live view of the inputs. */
    public List<@Nullable Value> inputs() {
        return inputView;
    }

    /** A live view of the outputs. */
    public List<@Nullable Value> outputs() {
        return outputView;
    }

    /** Input {@code index}, or null where it is omitted or beyond the last. */
    public @Nullable Value input(int index) {
        return index < inputs.length ? inputs[index] : null;
    }

    /** Output {@code index}, or null where it is omitted or beyond the last. */
    public @Nullable Value output(int index) {
        return index < outputs.length ? outputs[index] : null;
    }

    void setInput(int index, @Nullable Value value) {
        Value old = inputs[index];
        if (inputPlaces != null && old != null) {
            inputPlaces.remove(old, index);
        }
        inputs[index] = value;
        if (inputPlaces != null && value != null) {
            inputPlaces.add(value, index);
        }
    }

    /** Replaces {@code old} by {@code replacement} in the inputs and returns the number of places. */
    int replaceInput(Value old, Value replacement) {
        if (inputs.length > FEW_INPUTS) {
            List<Integer> places = inputPlaces().replace(old, replacement);
            places.forEach(place -> inputs[place] = replacement);
            return places.size();
        }
        int count = 0;
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i] == old) {
                inputs[i] = replacement;
                count++;
            }
        }
        return count;
    }

    private Places inputPlaces() {
        if (inputPlaces == null) {
            inputPlaces = new Places();
            for (int i = 0; i < inputs.length; i++) {
                Value input = inputs[i];
                if (input != null) {
                    inputPlaces.add(input, i);
                }
            }
        }
        return inputPlaces;
    }

    public Value requireInput(int index) {
        Value value = input(index);
        if (value == null) {
            throw EngineException.invalidGraph(describe() + ": input " + index + " is missing");
        }
        return value;
    }

    public Value requireOutput(int index) {
        Value value = output(index);
        if (value == null) {
            throw EngineException.invalidGraph(describe() + ": output " + index + " is missing");
        }
        return value;
    }

    /** The next node in topological order, or null after the last. */
    public @Nullable Node next() {
        return next;
    }

    public @Nullable Node previous() {
        return previous;
    }

    /** Whether this node has been taken out of its graph. */
    public boolean isRemoved() {
        return removed;
    }

    /** Operator and name as errors show them, such as {@code Conv 'conv1'}, on one line. */
    public String describe() {
        if (!name.isEmpty()) {
            return PlainText.line(op + " '" + name + "'");
        }
        Value first = output(0);
        return PlainText.line(first == null ? op.toString() : op + " -> '" + first.name() + "'");
    }

    @Override
    public String toString() {
        return describe() + " " + Arrays.toString(inputs) + " -> " + Arrays.toString(outputs);
    }
}
