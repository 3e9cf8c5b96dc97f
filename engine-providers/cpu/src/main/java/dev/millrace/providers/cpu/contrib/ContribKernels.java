package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.providers.cpu.attention.AttentionKernels;
import dev.millrace.providers.cpu.experts.ExpertsKernel;
import dev.millrace.providers.cpu.image.ImageKernels;
import dev.millrace.providers.cpu.norm.NormKernels;
import dev.millrace.providers.cpu.product.ProductKernels;
import dev.millrace.providers.cpu.quant.QuantKernels;
import dev.millrace.providers.cpu.search.BeamSearchKernel;
import dev.millrace.providers.cpu.search.GreedySearchKernel;
import dev.millrace.providers.cpu.text.TokenizerKernel;
import dev.millrace.providers.cpu.window.WindowKernels;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of {@code com.microsoft}. */
public final class ContribKernels {
    private ContribKernels() {}

    /** The kernel for this node, or null where there is none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "FusedMatMul", "TransposeMatMul", "Inverse", OpName.MATMUL_N_BITS -> ProductKernels.create(node);
            case OpName.LAYER_NORMALIZATION, OpName.RMS_NORMALIZATION, "SimplifiedLayerNormalization" ->
                NormKernels.create(node);
            case OpName.MULTI_HEAD_ATTENTION, OpName.GROUP_QUERY_ATTENTION, OpName.ROTARY_EMBEDDING ->
                AttentionKernels.contributed(node);
            case "GatherBlockQuantized" -> QuantKernels.create(node);
            case "CropAndResize" -> ImageKernels.create(node);
            case "MaxpoolWithMask" -> WindowKernels.create(node);
            case "BeamSearch", "WhisperBeamSearch" -> new BeamSearchKernel(node);
            case "GreedySearch", "Sampling" -> new GreedySearchKernel(node);
            case "BifurcationDetector" -> new BifurcationKernel(node);
            case "DynamicTimeWarping" -> new WarpingKernel(node);
            case "Tokenizer" -> TokenizerKernel.of(node);
            case OpName.MOE, OpName.Q_MOE -> new ExpertsKernel(node);
            case "MurmurHash3" -> new HashKernel(node);
            case "NGramRepeatBlock" -> new RepeatKernel(node);
            case "EmbedLayerNormalization" -> new EmbedNormKernel(node);
            case "SkipLayerNormalization" -> new SkipNormKernel(node, false);
            case "SkipSimplifiedLayerNormalization" -> new SkipNormKernel(node, true);
            default -> null;
        };
    }
}
