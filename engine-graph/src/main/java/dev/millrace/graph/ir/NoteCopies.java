package dev.millrace.graph.ir;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Carries what is noted of values and outputs to the copies of a graph, once all of those are made. */
public final class NoteCopies {
    private final Map<Value, Value> values = new LinkedHashMap<>();
    private final Map<Graph, Graph> graphs = new LinkedHashMap<>();

    /** {@code copy} was made of {@code value}. */
    public void made(Value value, Value copy) {
        if (!value.notes().isEmpty()) {
            values.put(value, copy);
        }
    }

    /** {@code copy} was made of {@code graph}, with all of its outputs. */
    public void made(Graph graph, Graph copy) {
        graphs.put(graph, copy);
    }

    /** Notes of the copies what is noted of their originals, in terms of {@code copyOf}. */
    public void carry(UnaryOperator<Value> copyOf) {
        values.forEach((value, copy) ->
                new GraphEditor(copy.graph()).note(copy, value.notes().with(copyOf)));
        graphs.forEach((graph, copy) -> {
            var editor = new GraphEditor(copy);
            for (int i = 0; i < graph.outputs().size(); i++) {
                editor.noteOutput(i, graph.outputNotes().get(i).with(copyOf));
            }
        });
    }
}
