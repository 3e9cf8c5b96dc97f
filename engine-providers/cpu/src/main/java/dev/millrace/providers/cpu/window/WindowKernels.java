package dev.millrace.providers.cpu.window;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that slide a window. */
public final class WindowKernels {
    private WindowKernels() {}

    /** The kernel for this node, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "Conv" -> new ConvKernel(node);
            case "ConvTranspose" -> new ConvTransposeKernel(node);
            case "ConvInteger" -> new QuantisedConvKernel(node, false);
            case "QLinearConv" -> new QuantisedConvKernel(node, true);
            case "DeformColumns" -> DeformColumns.kernel(node);
            case "MaxUnpool" -> new MaxUnpoolKernel(node);
            case "MaxPool", "AveragePool", "LpPool" -> new PoolKernel(node);
            case "MaxpoolWithMask" -> new MaskedPoolKernel(node);
            case "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool" -> new GlobalPoolKernel(node);
            default -> null;
        };
    }
}
