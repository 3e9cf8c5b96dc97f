package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** The constant that tells a Reshape a shape which is known only in part. */
final class ReshapeTarget {
    /** Since then the target is an input. */
    private static final int SINCE = 5;

    private ReshapeTarget() {}

    /**
     * The target by which a Reshape of {@code from} gives {@code to}: known extents as they are, 0 where an extent is
     * that of {@code from} at the same axis, -1 for one that is neither. Null where that does not say it exactly.
     */
    static long @Nullable [] between(@Nullable SymbolicShape from, @Nullable SymbolicShape to) {
        if (from == null || to == null) {
            return null;
        }
        long[] target = new long[to.rank()];
        boolean copies = false;
        boolean infers = false;
        for (int i = 0; i < target.length; i++) {
            Dim dim = to.dim(i);
            if (dim instanceof Dim.Known known) {
                if (known.extent() == 0) {
                    return null;
                }
                target[i] = known.extent();
            } else if (i < from.rank() && GraphPatterns.same(from.dim(i), dim)) {
                target[i] = 0;
                copies = true;
            } else if (!infers) {
                target[i] = -1;
                infers = true;
            } else {
                return null;
            }
        }
        // An empty extent that is copied would leave the one to infer open.
        return copies && infers ? null : target;
    }

    /** A patch that makes {@code output} a Reshape of {@code input} by a constant; null where none says it. */
    static @Nullable Patch reshape(Node node, Value input, Value output, PassContext context, String reason) {
        long[] target = between(input.shape(), output.shape());
        if (target == null) {
            return null;
        }
        Patch.Builder patch = context.patch(node, reason);
        Value shape = patch.constant(output.name() + "_shape", Tensor.copyOf(target, target.length));
        NodeSpec reshape = NodeSpec.of(OpId.onnx(OpName.RESHAPE), GraphPatterns.opset(node, SINCE), input, shape)
                .named(node.name());
        return patch.replace(output, reshape).build();
    }
}
