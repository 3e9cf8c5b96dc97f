package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.op.OpName;
import dev.millrace.providers.cpu.attention.AttentionKernels;
import dev.millrace.providers.cpu.contrib.ContribKernels;
import dev.millrace.providers.cpu.elementwise.ElementwiseKernels;
import dev.millrace.providers.cpu.norm.NormKernels;
import dev.millrace.providers.cpu.product.ProductKernels;
import dev.millrace.providers.cpu.quant.QuantKernels;
import dev.millrace.providers.cpu.recurrent.RecurrentKernels;
import dev.millrace.providers.cpu.reduce.ReduceKernels;
import dev.millrace.providers.cpu.window.WindowKernels;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import org.jspecify.annotations.Nullable;

/** The kernels of the cpu provider. A family's classes are loaded when the first node asks for one of them. */
public final class CpuKernels implements KernelFactory {
    @Override
    public @Nullable Kernel create(Node node) {
        Kernel kernel = switch (node.op().domain()) {
            case OpId.ONNX -> onnx(node);
            case OpId.MICROSOFT -> ContribKernels.create(node);
            case OpId.MILLRACE -> millrace(node);
            default -> null;
        };
        if (kernel == null) {
            kernel = DataKernels.create(node);
        }
        return kernel == null && Lowerings.waitsForRun(node) ? new LoweredInRun(this) : kernel;
    }

    private static @Nullable Kernel onnx(Node node) {
        String name = node.op().name();
        return switch (name) {
            case OpName.MATMUL, OpName.GEMM, OpName.MATMUL_INTEGER, "QLinearMatMul", "Einsum", "Det" ->
                ProductKernels.create(node);
            case OpName.CONV,
                    OpName.CONV_TRANSPOSE,
                    OpName.CONV_INTEGER,
                    OpName.Q_LINEAR_CONV,
                    OpName.MAX_POOL,
                    OpName.AVERAGE_POOL,
                    OpName.LP_POOL,
                    "MaxUnpool",
                    OpName.GLOBAL_AVERAGE_POOL,
                    OpName.GLOBAL_MAX_POOL,
                    "GlobalLpPool" -> WindowKernels.create(node);
            case OpName.BATCH_NORMALIZATION,
                    OpName.INSTANCE_NORMALIZATION,
                    OpName.GROUP_NORMALIZATION,
                    OpName.LAYER_NORMALIZATION,
                    OpName.RMS_NORMALIZATION,
                    OpName.LP_NORMALIZATION,
                    "SimplifiedLayerNormalization",
                    "MeanVarianceNormalization",
                    OpName.LRN -> NormKernels.create(node);
            case OpName.QUANTIZE_LINEAR, OpName.DEQUANTIZE_LINEAR, OpName.DYNAMIC_QUANTIZE_LINEAR ->
                QuantKernels.create(node);
            case OpName.LSTM, OpName.GRU, "RNN" -> RecurrentKernels.create(node);
            case OpName.ATTENTION, OpName.LINEAR_ATTENTION, OpName.ROTARY_EMBEDDING -> AttentionKernels.create(node);
            case OpName.SOFTMAX,
                    OpName.LOG_SOFTMAX,
                    "Hardmax",
                    OpName.ARG_MAX,
                    "ArgMin",
                    OpName.CUM_SUM,
                    OpName.CUM_PROD,
                    OpName.NEGATIVE_LOG_LIKELIHOOD_LOSS,
                    OpName.SOFTMAX_CROSS_ENTROPY_LOSS -> ReduceKernels.create(node);
            default -> name.startsWith("Reduce") ? ReduceKernels.create(node) : ElementwiseKernels.create(node);
        };
    }

    private static @Nullable Kernel millrace(Node node) {
        return switch (node.op().name()) {
            case OpName.LINEAR -> ProductKernels.create(node);
            case OpName.APPEND_STEPS -> AttentionKernels.own(node);
            case "DeformColumns" -> WindowKernels.create(node);
            default -> null;
        };
    }
}
