package dev.millrace.graph.ir;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An edge of a graph. It has one source: a node, the graph's inputs, or a constant. Identity is the object, not the
 * name; names are made unique when a model is written. Changed by a {@link GraphEditor} only.
 */
public final class Value {
    private final Graph graph;
    private String name;

    @Nullable
    ValueType type;

    @Nullable
    ValueType declared;

    @Nullable
    Node producer;

    int outputIndex;

    @Nullable
    Tensor constant;

    ValueNotes notes = ValueNotes.NONE;
    final Users users = new Users();
    private final List<Node> userView = Collections.unmodifiableList(users);
    final List<Graph> outputOf = new ArrayList<>();

    Value(Graph graph, String name, @Nullable ValueType type) {
        this.graph = graph;
        this.name = name;
        this.type = type;
    }

    /** The graph that this value belongs to; nodes of nested graphs may use it too. */
    public Graph graph() {
        return graph;
    }

    public String name() {
        return name;
    }

    void rename(String to) {
        name = to;
    }

    /** The inferred type, or null where nothing is known. */
    public @Nullable ValueType type() {
        return type;
    }

    /**
     * The type that the model declares, or null. It may be wrong: models are changed after their inner shapes were
     * written. It is shown to people and written to files, and does not affect computation.
     */
    public @Nullable ValueType declared() {
        return declared;
    }

    /** The notes on it from the file. Those on a graph's outputs are in {@link Graph#outputNotes} instead. */
    public ValueNotes notes() {
        return notes;
    }

    /** The inferred type, completed by the declared one where the two do not contradict. */
    public @Nullable ValueType described() {
        if (type == null || declared == null) {
            return type == null ? declared : type;
        }
        ValueType both = type.meet(declared);
        return both == null ? type : both;
    }

    /** The element type where this is a tensor and it is known, else null. */
    public @Nullable ElementType elementType() {
        return type instanceof ValueType.TensorType tensor ? tensor.element() : null;
    }

    /** The symbolic shape where this is a tensor of known rank, else null. */
    public @Nullable SymbolicShape shape() {
        return type instanceof ValueType.TensorType tensor ? tensor.shape() : null;
    }

    /** The node whose output this is, or null for a graph input or constant. */
    public @Nullable Node producer() {
        return producer;
    }

    /** The index of this value in the outputs of its producer. */
    public int outputIndex() {
        return outputIndex;
    }

    /** The tensor where this is an initializer that no caller can override, else null. */
    public @Nullable Tensor constant() {
        return constant;
    }

    public boolean isConstant() {
        return constant != null;
    }

    /**
     * The nodes that read this value, in this graph and nested ones; a node that reads it twice is in the list twice.
     */
    public List<Node> users() {
        return userView;
    }

    /** Whether this is an output of its graph or of a nested one. */
    public boolean isGraphOutput() {
        return !outputOf.isEmpty();
    }

    public boolean isUsed() {
        return !users.isEmpty() || !outputOf.isEmpty();
    }

    @Override
    public String toString() {
        ValueType description = described();
        return PlainText.line(name + (description == null ? "" : ": " + description));
    }
}
