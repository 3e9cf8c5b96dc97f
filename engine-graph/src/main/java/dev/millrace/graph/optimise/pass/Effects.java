package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.Tensor;
import java.util.Set;

/** Side effects of nodes: randomness, and other reasons to keep or not to merge a node. */
public final class Effects {
    private static final Set<String> DOMAINS = Set.of(OpId.ONNX, OpId.ONNX_ML, OpId.MICROSOFT, OpId.MILLRACE);

    private static final OpId CONTEXT = new OpId(OpId.MICROSOFT, "EPContext");

    private Effects() {}

    /**
     * Whether the node can be removed because nothing reads its outputs. A node without outputs has another purpose.
     */
    public static boolean isRemovable(Node node) {
        boolean hasOutput = false;
        for (Value output : node.outputs()) {
            if (output != null && output.isUsed()) {
                return false;
            }
            hasOutput |= output != null;
        }
        // A context node may hold the binary that others refer to.
        return hasOutput && !node.op().equals(CONTEXT);
    }

    /** Whether equal inputs give equal outputs; false for unknown operators. */
    public static boolean isPure(Node node) {
        return DOMAINS.contains(node.op().domain())
                && !node.op().equals(CONTEXT)
                && Schemas.firstVersion(node.op()) > 0
                && !Schemas.has(node.op(), Trait.RANDOM)
                && !(node.is(OpName.DROPOUT) && !isInference(node))
                && node.attributes().graphs().isEmpty();
    }

    /** Whether a run may depend on previous ones, as generators of random numbers keep their state. */
    public static boolean isRandom(Graph graph) {
        for (Node node : graph.nodes()) {
            if (Schemas.has(node.op(), Trait.RANDOM)
                    || node.is(OpName.DROPOUT) && !isInference(node)
                    || node.attributes().graphs().stream().anyMatch(Effects::isRandom)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a Dropout passes its input on. An attribute decides that until opset 6, an input from opset 12 on. */
    public static boolean isInference(Node dropout) {
        if (dropout.opset() < 7) {
            return dropout.attributes().flag("is_test", false);
        }
        Value training = dropout.input(2);
        if (dropout.opset() < 12 || training == null) {
            return true;
        }
        Tensor flag = training.constant();
        return flag != null && flag.elements() == 1 && flag.longs()[0] == 0;
    }
}
