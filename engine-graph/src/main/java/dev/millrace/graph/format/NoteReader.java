package dev.millrace.graph.format;

import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Attaches a file's remarks, denotations and quantisation annotations to the values and outputs that they name; skips
 * unknown names.
 */
final class NoteReader {
    private final GraphParts parts;
    private final Scope scope;
    private final Map<String, Remarks> initializers;
    private final Set<String> outputs = new HashSet<>();

    /** @param initializers the remarks in the initializers' own messages, by name */
    NoteReader(GraphParts parts, Scope scope, Map<String, Remarks> initializers) {
        this.parts = parts;
        this.scope = scope;
        this.initializers = initializers;
    }

    /** Attaches the notes to a graph that has its nodes and outputs already. */
    void read(GraphEditor editor) {
        for (int i = 0; i < parts.outputs.size(); i++) {
            noteOutput(editor, i, parts.outputs.get(i));
        }
        Set<String> names = new HashSet<>(parts.remarks.keySet());
        names.addAll(parts.denotations.keySet());
        names.addAll(initializers.keySet());
        names.addAll(parts.annotations.keySet());
        names.removeAll(outputs);
        for (String name : names) {
            Value value = scope.own(name);
            if (value != null) {
                editor.note(
                        value,
                        new ValueNotes(
                                parts.remarks.getOrDefault(name, Remarks.NONE),
                                parts.denotations.getOrDefault(name, Denotations.NONE),
                                initializers.getOrDefault(name, Remarks.NONE),
                                quantisation(name)));
            }
        }
    }

    /** Attaches the notes of a node's output that is also a graph output to the latter, which outlives the value. */
    private void noteOutput(GraphEditor editor, int index, GraphParts.Declared output) {
        Value value = scope.own(output.name());
        if (value == null || !scope.isNodeOutput(value)) {
            editor.noteOutput(index, new ValueNotes(output.remarks(), output.denotations(), Remarks.NONE, Map.of()));
            return;
        }
        outputs.add(output.name());
        Remarks remarks =
                parts.remarks.getOrDefault(output.name(), Remarks.NONE).and(output.remarks());
        Denotations denotations = output.denotations().isEmpty()
                ? parts.denotations.getOrDefault(output.name(), Denotations.NONE)
                : output.denotations();
        editor.noteOutput(index, new ValueNotes(remarks, denotations, Remarks.NONE, quantisation(output.name())));
    }

    private Map<String, Value> quantisation(String name) {
        Map<String, String> names = parts.annotations.getOrDefault(name, Map.of());
        var parameters = new LinkedHashMap<String, Value>();
        names.forEach((role, parameter) -> {
            Value value = scope.find(parameter);
            if (value != null) {
                parameters.put(role, value);
            }
        });
        return parameters;
    }
}
