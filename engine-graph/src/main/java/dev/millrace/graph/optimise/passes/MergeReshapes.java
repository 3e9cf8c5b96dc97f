package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Merges Reshape, Flatten, Squeeze and Unsqueeze nodes in a row into one Reshape. */
final class MergeReshapes {
    static final Set<String> OPERATORS = Set.of(OpName.RESHAPE, OpName.FLATTEN, OpName.SQUEEZE, OpName.UNSQUEEZE);

    private MergeReshapes() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Value middle = node.requireInput(0);
        Value output = node.requireOutput(0);
        Node first = middle.producer();
        if (first == null
                || first.graph() != node.graph()
                || !first.op().domain().isEmpty()
                || !OPERATORS.contains(first.op().name())) {
            return null;
        }
        Value input = first.requireInput(0);
        if (GraphPatterns.sameShape(input, output) && GraphPatterns.canStandFor(output, input)) {
            return context.patch(node, first.op() + " and " + node.op() + " cancel out")
                    .redirect(output, input)
                    .build();
        }
        return ReshapeTarget.reshape(node, input, output, context, first.op() + " and " + node.op() + " in one");
    }
}
