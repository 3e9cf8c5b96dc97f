package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of attention. */
public final class AttentionKernels {
    private AttentionKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "Attention" -> new AttentionKernel(node);
            case "LinearAttention" -> new LinearAttentionKernel(node);
            case "RotaryEmbedding" -> new RotaryKernel(node);
            default -> null;
        };
    }

    /** The kernel for this node of {@code com.microsoft}, or null where this family has none. */
    public static @Nullable Kernel contributed(Node node) {
        return switch (node.op().name()) {
            case "MultiHeadAttention" -> new MultiHeadKernel(node);
            case "GroupQueryAttention" -> new GroupQueryKernel(node);
            case "RotaryEmbedding" -> new ContribRotaryKernel(node);
            default -> null;
        };
    }
}
