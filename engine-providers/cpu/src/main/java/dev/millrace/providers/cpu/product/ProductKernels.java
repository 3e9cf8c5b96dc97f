package dev.millrace.providers.cpu.product;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of matrix products. */
public final class ProductKernels {
    private ProductKernels() {}

    /** The kernel for this node of whatever domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.MATMUL -> MatMulKernel.plain();
            case "FusedMatMul", "TransposeMatMul" -> MatMulKernel.fused(node);
            case OpName.GEMM -> GemmKernel.of(node.attributes());
            case OpName.MATMUL_INTEGER -> new QuantisedMatMulKernel(false);
            case "QLinearMatMul" -> new QuantisedMatMulKernel(true);
            case "Einsum" -> new EinsumKernel(node);
            case "Det" -> new DetKernel();
            case OpName.MATMUL_N_BITS -> new BlockedProductKernel(node);
            case "Inverse" -> new InverseKernel();
            case OpName.LINEAR -> LinearKernel.of(node);
            default -> null;
        };
    }
}
