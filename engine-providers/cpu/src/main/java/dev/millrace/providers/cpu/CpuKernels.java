package dev.millrace.providers.cpu;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.lower.Lowerings;
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
            case "MatMul", "Gemm", "MatMulInteger", "QLinearMatMul", "Einsum", "Det" -> ProductKernels.create(node);
            case "Conv",
                    "ConvTranspose",
                    "ConvInteger",
                    "QLinearConv",
                    "MaxPool",
                    "AveragePool",
                    "LpPool",
                    "MaxUnpool",
                    "GlobalAveragePool",
                    "GlobalMaxPool",
                    "GlobalLpPool" -> WindowKernels.create(node);
            case "BatchNormalization",
                    "InstanceNormalization",
                    "GroupNormalization",
                    "LayerNormalization",
                    "RMSNormalization",
                    "LpNormalization",
                    "SimplifiedLayerNormalization",
                    "MeanVarianceNormalization",
                    "LRN" -> NormKernels.create(node);
            case "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear" -> QuantKernels.create(node);
            case "LSTM", "GRU", "RNN" -> RecurrentKernels.create(node);
            case "Attention", "LinearAttention", "RotaryEmbedding" -> AttentionKernels.create(node);
            case "Softmax",
                    "LogSoftmax",
                    "Hardmax",
                    "ArgMax",
                    "ArgMin",
                    "CumSum",
                    "CumProd",
                    "NegativeLogLikelihoodLoss",
                    "SoftmaxCrossEntropyLoss" -> ReduceKernels.create(node);
            default -> name.startsWith("Reduce") ? ReduceKernels.create(node) : ElementwiseKernels.create(node);
        };
    }

    private static @Nullable Kernel millrace(Node node) {
        return switch (node.op().name()) {
            case "Linear" -> ProductKernels.create(node);
            case "DeformColumns" -> WindowKernels.create(node);
            default -> null;
        };
    }
}
