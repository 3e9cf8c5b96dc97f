package dev.millrace.cli.fire;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.op.SchemaPass;
import java.util.HashSet;
import java.util.Set;

/** Makes a model's intermediate values visible. */
public final class InnerValues {
    private InnerValues() {}

    /**
     * Returns a copy of the model with all values of its main graph as outputs, those inside of composite
     * operators included. A model that can be read but not written, for instance because it lists an
     * output twice, is returned as it is.
     */
    public static byte[] shown(byte[] bytes) {
        try {
            return withAllValues(bytes);
        } catch (EngineException _) {
            return bytes;
        }
    }

    private static byte[] withAllValues(byte[] bytes) {
        Model model = Models.read(bytes, null);
        Graph graph = model.graph();
        // it removes what would be refused next
        SchemaPass.over(graph);
        TypeInference.infer(graph);
        Lowerings.lower(graph);
        Set<Value> shown = new HashSet<>(graph.outputs());
        Set<String> names = new HashSet<>(graph.outputNames());
        graph.inputs().forEach(input -> names.add(input.name()));
        var editor = new GraphEditor(graph);
        for (Node node : graph.nodes()) {
            for (Value value : node.outputs()) {
                // a mutant may have a value with the name of an output
                if (value != null && shown.add(value) && names.add(value.name())) {
                    editor.addOutput(value.name(), value);
                }
            }
        }
        return Models.toBytes(model);
    }
}
