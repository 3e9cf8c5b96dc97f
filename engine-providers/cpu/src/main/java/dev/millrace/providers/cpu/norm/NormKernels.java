package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of normalisations. */
public final class NormKernels {
    private NormKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.LAYER_NORMALIZATION -> new RowNormKernel(node, true);
            case OpName.RMS_NORMALIZATION, "SimplifiedLayerNormalization" -> new RowNormKernel(node, false);
            case OpName.INSTANCE_NORMALIZATION, OpName.GROUP_NORMALIZATION -> new GroupNormKernel(node);
            case OpName.BATCH_NORMALIZATION -> new BatchNormKernel(node);
            case OpName.LP_NORMALIZATION, OpName.LRN -> new LaneNormKernel(node);
            case "MeanVarianceNormalization" -> new MeanVarianceKernel(node);
            default -> null;
        };
    }
}
