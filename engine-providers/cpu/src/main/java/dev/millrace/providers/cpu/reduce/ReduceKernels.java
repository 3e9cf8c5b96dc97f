package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that fold or scan along axes. */
public final class ReduceKernels {
    private ReduceKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        String name = node.op().name();
        return switch (name) {
            case OpName.ARG_MAX -> new ArgKernel(node, true);
            case "ArgMin" -> new ArgKernel(node, false);
            case OpName.CUM_SUM -> new CumulativeKernel(node, false);
            case OpName.CUM_PROD -> new CumulativeKernel(node, true);
            case OpName.SOFTMAX, OpName.LOG_SOFTMAX, "Hardmax" -> SoftmaxKernel.of(node);
            case OpName.NEGATIVE_LOG_LIKELIHOOD_LOSS -> new LossKernel(node, false);
            case OpName.SOFTMAX_CROSS_ENTROPY_LOSS -> new LossKernel(node, true);
            default -> name.startsWith("Reduce") ? new ReduceKernel(node, ReductionSteps.named(name)) : null;
        };
    }
}
