package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import org.jspecify.annotations.Nullable;

/** A Reshape whose computed target follows from what is known of its shapes gets it as a constant. */
final class ConstantReshapes {
    private ConstantReshapes() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Value target = node.input(1);
        if (target == null || target.isConstant()) {
            return null;
        }
        return ReshapeTarget.reshape(
                node, node.requireInput(0), node.requireOutput(0), context, "the target shape is known in advance");
    }
}
