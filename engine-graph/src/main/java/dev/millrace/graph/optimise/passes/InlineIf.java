package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** An If whose condition is known is replaced by the branch that it takes. */
final class InlineIf {
    private InlineIf() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Tensor condition = node.requireInput(0).constant();
        if (condition == null || condition.type() != ElementType.BOOL || condition.elements() != 1) {
            return null;
        }
        boolean taken = condition.booleans()[0];
        Graph branch = node.attributes().graph(taken ? "then_branch" : "else_branch");
        if (branch.outputs().size() < node.outputs().size()) {
            return null;
        }
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            Value result = branch.outputs().get(i);
            // A graph's output stays the work of one of its nodes; a branch may return a value from around it.
            if (output != null && result.graph() != branch && !GraphPatterns.canStandFor(output, result)) {
                return null;
            }
        }
        return context.patch(node, "the condition is always " + taken)
                .inline(node, branch)
                .build();
    }
}
