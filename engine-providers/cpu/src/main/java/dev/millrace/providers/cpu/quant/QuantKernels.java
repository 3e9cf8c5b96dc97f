package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels that quantise. */
public final class QuantKernels {
    private QuantKernels() {}

    /** The kernel for this node of whatever domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.QUANTIZE_LINEAR -> new QuantizeKernel(node, true);
            case OpName.DEQUANTIZE_LINEAR -> new QuantizeKernel(node, false);
            case OpName.DYNAMIC_QUANTIZE_LINEAR -> new DynamicQuantizeKernel();
            case "GatherBlockQuantized" -> new GatherBlocksKernel(node);
            default -> null;
        };
    }
}
