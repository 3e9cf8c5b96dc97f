package dev.millrace.graph.op;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import java.util.ArrayList;
import java.util.List;

/** A whole graph, and those nested in it, against the operators' schemas. */
public final class SchemaPass {
    private SchemaPass() {}

    /**
     * Throws (INVALID_GRAPH) for the first node with what its operator does not allow. An attribute that one of ONNX's own
     * operators does not have in its opset is taken from the node: whoever looked at it would take the node for one of
     * another opset. Those of other domains may mean something to a provider, and stay. An output that an operator always
     * gives has a name afterwards, whether anybody reads it or not, so that kernels have somewhere to write it; what bodies
     * give and what is optional may be left out.
     *
     * @return a sentence for each attribute that is gone, and for each deprecated operator
     */
    public static List<String> over(Graph graph) {
        return over(graph, CustomOperators.NONE);
    }

    /** Checks a graph as {@link #over(Graph)} does, nodes of other operators included. */
    public static List<String> over(Graph graph, CustomOperators custom) {
        var warnings = new ArrayList<String>();
        over(graph, custom, warnings);
        return warnings;
    }

    private static void over(Graph graph, CustomOperators custom, List<String> warnings) {
        var editor = new GraphEditor(graph);
        for (Node node : graph.nodes()) {
            CustomOperator added = custom.of(node);
            SchemaCheck check = added == null ? SchemaCheck.check(node) : SchemaCheck.check(node, added.schema());
            check.orThrow();
            warnings.addAll(check.warnings());
            if (node.op().domain().equals(OpId.ONNX) && !check.unknown().isEmpty()) {
                Attributes attributes = node.attributes();
                for (String name : check.unknown()) {
                    attributes = attributes.without(name);
                }
                editor.setAttributes(node, attributes);
            }
            OperatorSchema schema = added == null ? Schemas.find(node.op(), node.opset()) : added.schema();
            if (schema != null && node.attributes().graphs().isEmpty()) {
                nameOutputs(editor, node, schema);
            }
            node.attributes().graphs().forEach(nested -> over(nested, custom, warnings));
        }
    }

    static void nameOutputs(GraphEditor editor, Node node, OperatorSchema schema) {
        for (int i = 0; i < node.outputs().size(); i++) {
            Parameter parameter = OperatorSchema.parameter(schema.outputs(), i);
            if (node.output(i) == null && parameter != null && !parameter.isOptional()) {
                editor.addOutput(node, i, stem(node) + "/" + parameter.name() + i);
            }
        }
    }

    private static String stem(Node node) {
        for (Value output : node.outputs()) {
            if (output != null) {
                return output.name();
            }
        }
        return node.op().name();
    }
}
