package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.ElementType;
import java.util.Set;

/**
 * Which rule an operator has. Rules are static methods named from switches: nothing is linked before an operator of its
 * family is met. A rule looks at the opset where an operator's versions differ.
 */
final class InferenceRules {
    private InferenceRules() {}

    /** Sets the outputs of the context's node; leaves them unknown where the operator is. */
    static void apply(InferenceContext c) {
        switch (c.node().op().domain()) {
            case OpId.ONNX -> {
                if (!shared(c) && !elementwise(c) && !shaping(c) && !layer(c)) {
                    other(c);
                }
            }
            case OpId.ONNX_ML -> MlInference.apply(c);
            case OpId.ONNX_PREVIEW, OpId.ONNX_TRAINING -> TrainingInference.apply(c);
            case OpId.MICROSOFT, OpId.MILLRACE -> ContribInference.apply(c);
            default -> {}
        }
    }

    /** The rules that many operators have in common; the table of operators says whose they are. */
    private static boolean shared(InferenceContext c) {
        Set<Trait> traits = Schemas.traits(c.node().op());
        if (traits.contains(Trait.SAME)) {
            ElementwiseInference.sameAsFirst(c);
        } else if (traits.contains(Trait.BROADCASTS)) {
            ElementwiseInference.binary(c);
        } else if (traits.contains(Trait.COMPARES)) {
            ElementwiseInference.comparison(c);
        } else if (traits.contains(Trait.MIXES)) {
            ElementwiseInference.variadic(c);
        } else if (traits.contains(Trait.TESTS)) {
            ElementwiseInference.test(c);
        } else if (traits.contains(Trait.REDUCES)) {
            ReductionInference.reduce(c);
        } else {
            return false;
        }
        return true;
    }

    private static boolean elementwise(InferenceContext c) {
        switch (c.op()) {
            case OpName.CLIP -> ElementwiseInference.clip(c);
            case "SwiGLU" -> ElementwiseInference.sameShapes(c);
            case OpName.SOFTMAX, OpName.LOG_SOFTMAX, "Hardmax" ->
                ElementwiseInference.alongAxis(c, c.opset() < 13 ? 1 : -1);
            case OpName.IDENTITY -> c.set(0, c.type(0));
            case OpName.POW -> ElementwiseInference.pow(c);
            case "PRelu" -> ElementwiseInference.pRelu(c);
            case OpName.WHERE -> ElementwiseInference.where(c);
            case OpName.CAST -> ElementwiseInference.cast(c);
            case "BitCast" -> ElementwiseInference.bitCast(c);
            case OpName.CAST_LIKE -> c.set(0, c.element(1), c.dims(0));
            case OpName.DROPOUT -> ElementwiseInference.dropout(c);
            case "Bernoulli", "RandomNormalLike", "RandomUniformLike" -> ElementwiseInference.like(c);
            case "EyeLike" -> ElementwiseInference.eyeLike(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean shaping(InferenceContext c) {
        switch (c.op()) {
            case OpName.RESHAPE -> ShapeInference.reshape(c);
            case OpName.FLATTEN -> ShapeInference.flatten(c);
            case OpName.SQUEEZE -> ShapeInference.squeeze(c);
            case OpName.UNSQUEEZE -> ShapeInference.unsqueeze(c);
            case OpName.TRANSPOSE -> ShapeInference.transpose(c);
            case OpName.SHAPE -> ShapeInference.shape(c);
            case OpName.SIZE -> c.set(0, TypeLattice.scalar(ElementType.INT64));
            case OpName.EXPAND -> ShapeInference.expand(c);
            case OpName.TILE -> ShapeInference.tile(c);
            case OpName.PAD -> ShapeInference.pad(c);
            case OpName.TRILU -> ShapeInference.trilu(c);
            case OpName.DEPTH_TO_SPACE -> ShapeInference.depthToSpace(c);
            case "SpaceToDepth" -> ShapeInference.spaceToDepth(c);
            case "CenterCropPad" -> ShapeInference.centerCropPad(c);
            case OpName.CONCAT -> ConcatInference.concat(c);
            case OpName.SPLIT -> ConcatInference.split(c);
            case OpName.SLICE -> SliceRule.slice(c);
            case "Crop", "DynamicSlice" -> SliceRule.early(c);
            case OpName.GATHER -> GatherInference.gather(c);
            case "GatherElements" -> GatherInference.gatherElements(c);
            case OpName.GATHER_ND -> GatherInference.gatherNd(c);
            case "Scatter", OpName.SCATTER_ELEMENTS -> GatherInference.scatterElements(c);
            case OpName.SCATTER_ND -> GatherInference.scatterNd(c);
            case OpName.COMPRESS -> GatherInference.compress(c);
            case OpName.NON_ZERO -> GatherInference.nonZero(c);
            case OpName.UNIQUE -> GatherInference.unique(c);
            case "ReverseSequence" -> GatherInference.reverseSequence(c);
            case "TensorScatter" -> GatherInference.tensorScatter(c);
            case OpName.TOP_K -> GatherInference.topK(c);
            case OpName.ONE_HOT -> GatherInference.oneHot(c);
            case OpName.CONSTANT -> GeneratorInference.constant(c);
            case OpName.CONSTANT_OF_SHAPE -> GeneratorInference.constantOfShape(c);
            case OpName.RANGE -> GeneratorInference.range(c);
            case "RandomNormal", "RandomUniform" -> GeneratorInference.random(c);
            case "Multinomial" -> GeneratorInference.multinomial(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean layer(InferenceContext c) {
        switch (c.op()) {
            case OpName.ARG_MAX, "ArgMin" -> ReductionInference.argReduce(c);
            case OpName.CUM_PROD, OpName.CUM_SUM -> ReductionInference.cumulate(c);
            case OpName.INSTANCE_NORMALIZATION -> NormalizationInference.instanceNormalization(c);
            case OpName.GROUP_NORMALIZATION -> NormalizationInference.groupNormalization(c);
            case OpName.LRN -> NormalizationInference.neighbours(c);
            case OpName.LP_NORMALIZATION -> NormalizationInference.lpNormalization(c);
            case OpName.LAYER_NORMALIZATION -> NormalizationInference.layerNormalization(c);
            case OpName.RMS_NORMALIZATION, "SimplifiedLayerNormalization" -> NormalizationInference.rmsNormalization(c);
            case OpName.BATCH_NORMALIZATION -> NormalizationInference.batchNormalization(c);
            case OpName.MATMUL -> MatrixInference.matMul(c);
            case OpName.MATMUL_INTEGER -> MatrixInference.matMulInteger(c);
            case "QLinearMatMul" -> MatrixInference.qLinearMatMul(c);
            case OpName.GEMM -> MatrixInference.gemm(c);
            case "Einsum" -> EinsumRule.einsum(c);
            case "Det" -> MatrixInference.det(c);
            case OpName.CONV -> ConvolutionInference.conv(c);
            case OpName.CONV_INTEGER -> ConvolutionInference.convInteger(c);
            case OpName.Q_LINEAR_CONV -> ConvolutionInference.qLinearConv(c);
            case OpName.CONV_TRANSPOSE -> ConvolutionInference.convTranspose(c);
            case "DeformConv" -> ConvolutionInference.deformConv(c);
            case "CausalConvWithState" -> ConvolutionInference.causalConvWithState(c);
            case OpName.MAX_POOL -> PoolingInference.maxPool(c);
            case OpName.AVERAGE_POOL, OpName.LP_POOL -> PoolingInference.pool(c);
            case OpName.GLOBAL_AVERAGE_POOL, "GlobalLpPool", OpName.GLOBAL_MAX_POOL -> PoolingInference.global(c);
            case "MaxUnpool" -> PoolingInference.maxUnpool(c);
            case "MaxRoiPool" -> ImageInference.maxRoiPool(c);
            case "RoiAlign" -> ImageInference.roiAlign(c);
            case "Col2Im" -> ImageInference.col2Im(c);
            case OpName.RESIZE -> ResizeInference.resize(c);
            case OpName.UPSAMPLE -> ResizeInference.upsample(c);
            case OpName.GRID_SAMPLE -> ImageInference.gridSample(c);
            case "AffineGrid" -> ImageInference.affineGrid(c);
            case "ImageDecoder" -> ImageInference.imageDecoder(c);
            case "NonMaxSuppression" -> ImageInference.nonMaxSuppression(c);
            case OpName.QUANTIZE_LINEAR -> QuantizationInference.quantize(c);
            case OpName.DEQUANTIZE_LINEAR -> QuantizationInference.dequantize(c);
            case OpName.DYNAMIC_QUANTIZE_LINEAR -> QuantizationInference.dynamicQuantize(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void other(InferenceContext c) {
        switch (c.op()) {
            case "RNN", OpName.GRU, OpName.LSTM -> RecurrentInference.recurrent(c);
            case OpName.ATTENTION -> AttentionInference.attention(c);
            case OpName.ROTARY_EMBEDDING -> AttentionInference.rotaryEmbedding(c);
            case OpName.LINEAR_ATTENTION -> AttentionInference.linearAttention(c);
            case OpName.IF -> ControlFlowInference.branch(c);
            case "Loop" -> ControlFlowInference.loop(c);
            case "Scan" -> ScanRule.scan(c);
            case "SequenceMap" -> ControlFlowInference.sequenceMap(c);
            case "SequenceAt",
                    "SequenceConstruct",
                    "SequenceEmpty",
                    "SequenceErase",
                    "SequenceInsert",
                    "SequenceLength",
                    "SplitToSequence",
                    "ConcatFromSequence",
                    "Optional",
                    "OptionalGetElement",
                    "OptionalHasElement" -> SequenceInference.apply(c);
            case OpName.NEGATIVE_LOG_LIKELIHOOD_LOSS, OpName.SOFTMAX_CROSS_ENTROPY_LOSS -> LossInference.loss(c);
            case OpName.STRING_NORMALIZER, "StringSplit", "TfIdfVectorizer" -> TextInference.apply(c);
            case OpName.DFT, "STFT", "MelWeightMatrix", "BlackmanWindow", "HammingWindow", "HannWindow" ->
                SignalInference.apply(c);
            default -> {}
        }
    }
}
