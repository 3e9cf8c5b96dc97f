package dev.millrace.graph.op;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.HashSet;
import java.util.Set;

/**
 * Turns Constant nodes that hold a tensor into constants of their graph, before anything else reads the graph: some
 * exporters write every weight so. Other Constant nodes, with single numbers, lists and sparse tensors, are left to the
 * optimiser. Invalid ones stay, too, so that their error is reported in its usual place.
 */
public final class StoredConstants {
    private static final String VALUE = "value";

    /** The opsets and element types that have passed the schema check. */
    private final Set<Kind> allowed = new HashSet<>();

    private record Kind(int opset, ElementType element) {}

    private StoredConstants() {}

    /** Converts the nodes of a graph and of its nested graphs. */
    public static void over(Graph graph) {
        new StoredConstants().walk(graph);
    }

    private void walk(Graph graph) {
        var editor = new GraphEditor(graph);
        for (Node node : graph.nodes()) {
            if (node.is(OpName.CONSTANT)) {
                lift(node, editor);
            } else {
                node.attributes().graphs().forEach(this::walk);
            }
        }
    }

    private void lift(Node node, GraphEditor editor) {
        Attributes attributes = node.attributes();
        if (attributes.asMap().size() == 1
                && attributes.find(VALUE) instanceof Attribute.TensorValue(Tensor tensor)
                && node.inputs().isEmpty()
                && node.outputs().size() == 1) {
            Value output = node.output(0);
            if (output != null && isAsDeclared(output, tensor) && isAllowed(node, tensor)) {
                ValueNotes notes = output.notes()
                        .withTensor(attributes.notes(VALUE).tensor(0).remarks());
                editor.replaceProducer(node);
                editor.makeConstant(output, tensor);
                editor.note(output, notes);
            }
        }
    }

    private static boolean isAsDeclared(Value output, Tensor tensor) {
        ValueType declared = output.declared();
        return declared == null || type(tensor).meet(declared) != null;
    }

    private boolean isAllowed(Node node, Tensor tensor) {
        var kind = new Kind(node.opset(), tensor.type());
        if (allowed.contains(kind)) {
            return true;
        }
        boolean fits = SchemaCheck.check(node).errors().isEmpty()
                && TypeCheck.of(node).outputs(_ -> type(tensor)).isEmpty();
        if (fits) {
            allowed.add(kind);
        }
        return fits;
    }

    private static ValueType type(Tensor tensor) {
        return ValueType.tensor(tensor.type(), tensor.shape());
    }
}
