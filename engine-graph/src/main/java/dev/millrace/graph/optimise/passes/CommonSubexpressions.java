package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Eliminates common subexpressions: of two nodes with the same operator, attributes and inputs, which are compared by
 * identity, the first replaces the second.
 */
final class CommonSubexpressions {
    private CommonSubexpressions() {}

    static Iterator<Patch> over(Graph graph, PassContext context) {
        Map<Computation, Node> known = new HashMap<>();
        return Sweep.over(graph.nodes(), node -> {
            if (!Effects.isPure(node)) {
                return null;
            }
            Node first = known.putIfAbsent(new Computation(node, node.inputs()), node);
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
