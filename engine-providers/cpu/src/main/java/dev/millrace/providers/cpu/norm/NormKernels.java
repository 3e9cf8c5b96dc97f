package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of normalisations. */
public final class NormKernels {
    private NormKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "LayerNormalization" -> new RowNormKernel(node, true);
            case "RMSNormalization", "SimplifiedLayerNormalization" -> new RowNormKernel(node, false);
            case "InstanceNormalization", "GroupNormalization" -> new GroupNormKernel(node);
            case "BatchNormalization" -> new BatchNormKernel(node);
            case "LpNormalization", "LRN" -> new LaneNormKernel(node);
            case "MeanVarianceNormalization" -> new MeanVarianceKernel(node);
            default -> null;
        };
    }
}
