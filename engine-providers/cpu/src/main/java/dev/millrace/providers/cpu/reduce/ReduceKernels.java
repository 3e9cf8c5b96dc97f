package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that fold or scan along axes. */
public final class ReduceKernels {
    private ReduceKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        String name = node.op().name();
        return switch (name) {
            case "ArgMax" -> new ArgKernel(node, true);
            case "ArgMin" -> new ArgKernel(node, false);
            case "CumSum" -> new CumulativeKernel(node, false);
            case "CumProd" -> new CumulativeKernel(node, true);
            case "Softmax", "LogSoftmax", "Hardmax" -> SoftmaxKernel.of(node);
            case "NegativeLogLikelihoodLoss" -> new LossKernel(node, false);
            case "SoftmaxCrossEntropyLoss" -> new LossKernel(node, true);
            default -> name.startsWith("Reduce") ? new ReduceKernel(node, ReductionSteps.named(name)) : null;
        };
    }
}
