package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
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

/** Of two nodes that do the same to the same values, the first serves the readers of both. */
final class CommonSubexpressions {
    private CommonSubexpressions() {}

    /**
     * A node as one that computes the same as others. Values are equal by identity. Attributes are looked at only where
     * two nodes of one operator read the same.
     */
    private static final class Key {
        private final Node node;
        private final int hash;

        Key(Node node) {
            this.node = node;
            int sum = node.op().hashCode();
            for (int i = 0; i < node.inputs().size(); i++) {
                sum = 31 * sum + System.identityHashCode(node.input(i));
            }
            // Constants read nothing: what they are is all that tells them apart.
            hash = node.inputs().isEmpty() ? 31 * sum + contents().hashCode() : sum;
        }

        private Map<String, Object> contents() {
            var contents = new HashMap<String, Object>();
            node.attributes()
                    .asMap()
                    .forEach((name, attribute) -> contents.put(
                            name,
                            attribute instanceof Attribute.TensorValue tensor
                                    ? new Content(tensor.value())
                                    : attribute));
            return contents;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key same
                    && hash == same.hash
                    && node.op().equals(same.node.op())
                    && node.opset() == same.node.opset()
                    && node.overload().equals(same.node.overload())
                    && node.inputs().equals(same.node.inputs())
                    && contents().equals(same.contents());
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    static Iterator<Patch> over(Graph graph, PassContext context) {
        Map<Key, Node> known = new HashMap<>();
        return Sweep.over(graph.nodes(), node -> {
            if (!Effects.isPure(node)) {
                return null;
            }
            Node first = known.putIfAbsent(new Key(node), node);
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
