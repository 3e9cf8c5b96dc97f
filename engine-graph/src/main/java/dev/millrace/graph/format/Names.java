package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names that the values of a graph have in a file: each is unique in its graph and the graphs around it. Inputs and
 * outputs of a main graph have exactly the names that users know; all others keep theirs where that is free.
 */
final class Names {
    private final Graph graph;
    private final @Nullable Names around;
    private final IdentityHashMap<Value, String> names = new IdentityHashMap<>();
    private final Set<String> taken = new HashSet<>();
    private final Map<String, Integer> counters = new HashMap<>();
    private final Set<String> listed = new HashSet<>();
    private final List<Output> outputs = new ArrayList<>();

    /** An output of the graph; {@code copied} where its name is not the value's own and an Identity makes it. */
    record Output(String name, Value value, boolean copied, ValueNotes notes) {}

    Names(Graph graph, @Nullable Names around) {
        this.graph = graph;
        this.around = around;
        for (Value input : graph.inputs()) {
            names.put(input, claim(input.name()));
        }
        for (int i = 0; i < graph.outputs().size(); i++) {
            outputs.add(nameOutput(
                    graph.outputNames().get(i),
                    graph.outputs().get(i),
                    graph.outputNotes().get(i)));
        }
        graph.constants().forEach(this::nameFreely);
        for (Node node : graph.nodes()) {
            for (Value output : node.outputs()) {
                if (output != null) {
                    nameFreely(output);
                }
            }
        }
    }

    List<Output> outputs() {
        return outputs;
    }

    String of(Value value) {
        String name = find(value);
        if (name != null) {
            return name;
        }
        throw EngineException.invalidGraph("value '" + value.name() + "' is read in " + graph
                + " but made neither there nor in a graph around it");
    }

    /** The name of a value of this graph or of one around it, or null for any other. */
    @Nullable
    String find(Value value) {
        for (Names scope = this; scope != null; scope = scope.around) {
            String name = scope.names.get(value);
            if (name != null) {
                return name;
            }
        }
        return null;
    }

    /** Names a constant that is written beside those of the graph. */
    String addConstant(Value constant) {
        String name = unique(constant.name());
        names.put(constant, name);
        return name;
    }

    private Output nameOutput(String wanted, Value value, ValueNotes notes) {
        String name = names.get(value);
        if (name == null && value.graph() == graph) {
            name = claim(wanted);
            names.put(value, name);
            listed.add(name);
            return new Output(name, value, false, notes);
        }
        if (name != null && (around != null || name.equals(wanted)) && listed.add(name)) {
            return new Output(name, value, false, notes);
        }
        return new Output(claim(wanted), value, true, notes);
    }

    private void nameFreely(Value value) {
        if (!names.containsKey(value)) {
            names.put(value, unique(value.name()));
        }
    }

    /** The name as it is for a main graph, whose users know it; one like it for a nested graph. */
    private String claim(String wanted) {
        if (around != null) {
            return unique(wanted);
        }
        if (wanted.isEmpty() || !taken.add(wanted)) {
            throw EngineException.invalidGraph("'" + wanted + "' cannot name two inputs or outputs of " + graph);
        }
        return wanted;
    }

    private String unique(String wanted) {
        String base = wanted.isEmpty() ? "value" : wanted;
        String name = base;
        while (isTaken(name)) {
            name = base + "_" + counters.merge(base, 1, Integer::sum);
        }
        taken.add(name);
        return name;
    }

    private boolean isTaken(String name) {
        for (Names scope = this; scope != null; scope = scope.around) {
            if (scope.taken.contains(name)) {
                return true;
            }
        }
        return false;
    }
}
