package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Value;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names of a graph while it is read. A nested graph sees those of the graphs around it and may hide them. */
final class Scope {
    private static final int DEEPEST = 64;

    private final Graph graph;
    private final @Nullable Scope around;
    private final int depth;
    private final Map<String, Value> values = new HashMap<>();
    private final Set<Value> nodeOutputs = new HashSet<>();
    private boolean readsAhead;

    Scope(String graphName, @Nullable Scope around) {
        this.around = around;
        this.depth = around == null ? 1 : around.depth + 1;
        if (depth > DEEPEST) {
            throw EngineException.invalidGraph("graphs are nested deeper than " + DEEPEST + " levels");
        }
        this.graph = around == null ? Graph.named(graphName) : Graph.nested(graphName, around.graph);
    }

    Graph graph() {
        return graph;
    }

    /** Whether a node read a value of this graph before the node that makes it was there. */
    boolean readsAhead() {
        return readsAhead;
    }

    void define(String name, Value value) {
        if (values.putIfAbsent(name, value) != null) {
            throw EngineException.invalidGraph(
                    "value '" + name + "' of " + graph + " has two sources; each name is written once");
        }
    }

    /** A value whose node comes later. */
    void defineNodeOutput(String name, Value value) {
        define(name, value);
        nodeOutputs.add(value);
    }

    boolean isNodeOutput(Value value) {
        return nodeOutputs.contains(value);
    }

    /** The value of this very graph, or null. */
    @Nullable
    Value own(String name) {
        return values.get(name);
    }

    /** The value of this graph or of one around it, or null. */
    @Nullable
    Value find(String name) {
        for (Scope scope = this; scope != null; scope = scope.around) {
            Value value = scope.values.get(name);
            if (value != null) {
                if (value.producer() == null && scope.nodeOutputs.contains(value)) {
                    scope.readsAhead = true;
                }
                return value;
            }
        }
        return null;
    }
}
