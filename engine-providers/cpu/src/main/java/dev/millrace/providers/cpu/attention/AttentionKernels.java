package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of attention. */
public final class AttentionKernels {
    private AttentionKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.ATTENTION -> new AttentionKernel(node);
            case OpName.LINEAR_ATTENTION -> new LinearAttentionKernel(node);
            case OpName.ROTARY_EMBEDDING -> new RotaryKernel(node);
            default -> null;
        };
    }

    /** The kernel for this node of the engine's own domain, or null where this family has none. */
    public static @Nullable Kernel own(Node node) {
        return node.op().name().equals(OpName.APPEND_STEPS) ? new AppendStepsKernel(node) : null;
    }

    /** The kernel for this node of {@code com.microsoft}, or null where this family has none. */
    public static @Nullable Kernel contributed(Node node) {
        return switch (node.op().name()) {
            case OpName.MULTI_HEAD_ATTENTION -> new MultiHeadKernel(node);
            case OpName.GROUP_QUERY_ATTENTION -> new GroupQueryKernel(node);
            case OpName.ROTARY_EMBEDDING -> new ContribRotaryKernel(node);
            default -> null;
        };
    }
}
