package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Of two nodes that do the same to the same values, the first serves the readers of both. */
final class CommonSubexpressions {
    private CommonSubexpressions() {}

    /** What two nodes have in common where they compute the same. Values are equal by identity. */
    private record Key(
            OpId op, int opset, String overload, List<@Nullable Value> inputs, Map<String, Object> attributes) {
        static Key of(Node node) {
            var attributes = new HashMap<String, Object>();
            node.attributes()
                    .asMap()
                    .forEach((name, attribute) -> attributes.put(
                            name,
                            attribute instanceof Attribute.TensorValue tensor
                                    ? new Content(tensor.value())
                                    : attribute));
            return new Key(node.op(), node.opset(), node.overload(), node.inputs(), attributes);
        }
    }

    static Iterator<Patch> over(Graph graph, PassContext context) {
        Map<Key, Node> known = new HashMap<>();
        return Sweep.over(graph.nodes(), node -> {
            if (!Effects.isPure(node)) {
                return null;
            }
            Node first = known.putIfAbsent(Key.of(node), node);
            return first == null ? null : merge(node, first, context);
        });
    }

    private static @Nullable Patch merge(Node node, Node first, PassContext context) {
        Patch.Builder patch = context.patch(node, "the same as " + first.describe());
        boolean merges = false;
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output == null || !output.isUsed()) {
                continue;
            }
            Value same = first.output(i);
            if (same == null) {
                return null;
            }
            patch.redirect(output, same);
            merges = true;
        }
        return merges ? patch.build() : null;
    }
}
