package dev.millrace.graph.ir;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A graph: nodes in topological order, the values between them, inputs, outputs and constants. A nested graph (the body
 * of an If, Loop or Scan) reads values of the enclosing graphs directly. This class is read-only; a {@link GraphEditor}
 * changes it.
 */
public final class Graph {
    private final String name;
    private final @Nullable Graph parent;
    final List<Value> inputs = new ArrayList<>();
    final List<Value> outputs = new ArrayList<>();
    final List<String> outputNames = new ArrayList<>();
    final List<ValueNotes> outputNotes = new ArrayList<>();
    private final Places outputPlaces = new Places();
    final Set<Value> constants = new LinkedHashSet<>();
    final Map<Value, Tensor> defaults = new LinkedHashMap<>();
    final Map<String, String> metadata = new LinkedHashMap<>();
    DocString documentation = DocString.NONE;

    @Nullable
    Node owner;

    @Nullable
    Node first;

    @Nullable
    Node last;

    int nodeCount;

    /** Whether others read this graph and rely on it as it is. */
    private boolean isRead;

    private Graph(String name, @Nullable Graph parent) {
        this.name = name;
        this.parent = parent;
    }

    /** Creates an empty graph; {@link GraphEditor} fills it. */
    public static Graph named(String name) {
        return new Graph(name, null);
    }

    /** Creates an empty graph whose nodes may read values of {@code parent}. */
    public static Graph nested(String name, Graph parent) {
        return new Graph(name, parent);
    }

    /** Runs an action during which nobody may change this graph or those nested in it. */
    public void whileReadOnly(Runnable action) {
        boolean before = isRead;
        isRead = true;
        try {
            action.run();
        } finally {
            isRead = before;
        }
    }

    /** Throws where this graph must not be changed now. */
    void checkChangeable() {
        for (Graph graph = this; graph != null; graph = graph.parent) {
            if (graph.isRead) {
                throw new IllegalStateException("graph '" + name + "' is read-only during this call");
            }
        }
    }

    public String name() {
        return name;
    }

    public DocString documentation() {
        return documentation;
    }

    public Map<String, String> metadata() {
        return Collections.unmodifiableMap(metadata);
    }

    /** The enclosing graph, or null for a model's main graph. */
    public @Nullable Graph parent() {
        return parent;
    }

    public List<Value> inputs() {
        return Collections.unmodifiableList(inputs);
    }

    public List<Value> outputs() {
        return Collections.unmodifiableList(outputs);
    }

    /** The names of the outputs. They may differ from the names of the values, and one value may be several outputs. */
    public List<String> outputNames() {
        return Collections.unmodifiableList(outputNames);
    }

    /** The notes of the outputs, independent of the values that stand for them. */
    public List<ValueNotes> outputNotes() {
        return Collections.unmodifiableList(outputNotes);
    }

    void addOutput(String outputName, Value value) {
        outputPlaces.add(value, outputs.size());
        outputs.add(value);
        outputNames.add(outputName);
        outputNotes.add(ValueNotes.NONE);
    }

    /** Replaces {@code old} by {@code replacement} in every output that it is. */
    void replaceOutput(Value old, Value replacement) {
        outputPlaces.replace(old, replacement).forEach(place -> outputs.set(place, replacement));
    }

    /** The values that carry a constant. */
    public Collection<Value> constants() {
        return Collections.unmodifiableSet(constants);
    }

    /** The default of an input that the caller omits, or null where it has none. */
    public @Nullable Tensor defaultOf(Value input) {
        return defaults.get(input);
    }

    /**
     * The node of the parent graph that has this graph as an attribute, or null for a main graph or a function's body.
     */
    public @Nullable Node owner() {
        return owner;
    }

    /**
     * Returns the node of {@code around} that contains {@code inner}, or {@code inner} itself; null where there is
     * none.
     */
    static @Nullable Node nodeIn(Graph around, @Nullable Node inner) {
        Node node = inner;
        while (node != null && node.graph() != around) {
            node = node.graph().owner;
        }
        return node;
    }

    public int nodeCount() {
        return nodeCount;
    }

    public @Nullable Node firstNode() {
        return first;
    }

    public @Nullable Node lastNode() {
        return last;
    }

    /** The nodes in topological order. The node just returned may be removed, and others added, while iterating. */
    public Iterable<Node> nodes() {
        return () -> new Iterator<>() {
            private @Nullable Node ahead = first;

            @Override
            public boolean hasNext() {
                return ahead != null;
            }

            @Override
            public Node next() {
                Node node = ahead;
                if (node == null) {
                    throw new NoSuchElementException();
                }
                ahead = node.next;
                return node;
            }
        };
    }

    @Override
    public String toString() {
        return "graph '" + PlainText.line(name) + "' of " + nodeCount + " nodes";
    }
}
