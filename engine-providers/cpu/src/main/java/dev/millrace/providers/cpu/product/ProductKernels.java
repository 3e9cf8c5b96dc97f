package dev.millrace.providers.cpu.product;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of matrix products. */
public final class ProductKernels {
    private ProductKernels() {}

    /** The kernel for this node of whatever domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "MatMul" -> MatMulKernel.plain();
            case "FusedMatMul", "TransposeMatMul" -> MatMulKernel.fused(node);
            case "Gemm" -> GemmKernel.of(node.attributes());
            case "MatMulInteger" -> new QuantisedMatMulKernel(false);
            case "QLinearMatMul" -> new QuantisedMatMulKernel(true);
            case "Einsum" -> new EinsumKernel(node);
            case "Det" -> new DetKernel();
            case "MatMulNBits" -> new BlockedProductKernel(node);
            case "Inverse" -> new InverseKernel();
            case "Linear" -> LinearKernel.of(node);
            default -> null;
        };
    }
}
