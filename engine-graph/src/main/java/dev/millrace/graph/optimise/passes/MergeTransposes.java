package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two Transposes in a row are one, or none. */
final class MergeTransposes {
    private MergeTransposes() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Node first = GraphPatterns.producer(node.input(0), node.graph(), OpName.TRANSPOSE);
        int[] before = first == null ? null : Axes.permutation(first);
        int[] after = Axes.permutation(node);
        if (first == null || before == null || after == null || before.length != after.length) {
            return null;
        }
        Value input = first.requireInput(0);
        Value output = node.requireOutput(0);
        int[] both = Axes.compose(before, after);
        if (!Axes.isIdentity(both)) {
            NodeSpec spec = NodeSpec.like(node, List.of(input)).with("perm", Attribute.of(Axes.widened(both)));
            return context.patch(node, "two Transposes in one")
                    .replace(output, spec)
                    .build();
        }
        return GraphPatterns.canStandFor(output, input)
                ? context.patch(node, "two Transposes cancel out")
                        .redirect(output, input)
                        .build()
                : null;
    }
}
