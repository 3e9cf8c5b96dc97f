package dev.millrace.providers.cpu.window;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that slide a window. */
public final class WindowKernels {
    private WindowKernels() {}

    /** The kernel for this node, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.CONV -> new ConvKernel(node);
            case OpName.CONV_TRANSPOSE -> new ConvTransposeKernel(node);
            case OpName.CONV_INTEGER -> new QuantisedConvKernel(node, false);
            case OpName.Q_LINEAR_CONV -> new QuantisedConvKernel(node, true);
            case "DeformColumns" -> DeformColumns.kernel(node);
            case "MaxUnpool" -> new MaxUnpoolKernel(node);
            case OpName.MAX_POOL, OpName.AVERAGE_POOL, OpName.LP_POOL -> new PoolKernel(node);
            case "MaxpoolWithMask" -> new MaskedPoolKernel(node);
            case OpName.GLOBAL_AVERAGE_POOL, OpName.GLOBAL_MAX_POOL, "GlobalLpPool" -> new GlobalPoolKernel(node);
            default -> null;
        };
    }
}
