package dev.millrace.graph.op;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import java.util.ArrayList;
import java.util.List;

/** A whole graph, and those nested in it, against the operators' schemas. */
public final class SchemaPass {
    private SchemaPass() {}

    /**
     * Throws (INVALID_GRAPH) for the first node with what its operator does not allow. An attribute that one of ONNX's own
     * operators does not have in its opset is taken from the node: whoever looked at it would take the node for one of
     * another opset. Those of other domains may mean something to a provider, and stay.
     *
     * @return a sentence for each attribute that is gone, and for each deprecated operator
     */
    public static List<String> over(Graph graph) {
        var warnings = new ArrayList<String>();
        over(graph, warnings);
        return warnings;
    }

    private static void over(Graph graph, List<String> warnings) {
        var editor = new GraphEditor(graph);
        for (Node node : graph.nodes()) {
            SchemaCheck check = SchemaCheck.check(node);
            check.orThrow();
            warnings.addAll(check.warnings());
            if (node.op().domain().equals(OpId.ONNX) && !check.unknown().isEmpty()) {
                Attributes attributes = node.attributes();
                for (String name : check.unknown()) {
                    attributes = attributes.without(name);
                }
                editor.setAttributes(node, attributes);
            }
            node.attributes().graphs().forEach(nested -> over(nested, warnings));
        }
    }
}
