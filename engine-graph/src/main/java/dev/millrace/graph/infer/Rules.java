package dev.millrace.graph.infer;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.ElementType;
import java.util.Set;

/**
 * Which rule an operator has. Rules are static methods named from switches: nothing is linked before an operator of its
 * family is met. A rule looks at the opset where an operator's versions differ.
 */
final class Rules {
    private Rules() {}

    /** Sets the outputs of the context's node; leaves them unknown where the operator is. */
    static void apply(InferenceContext c) {
        switch (c.node().op().domain()) {
            case OpId.ONNX -> {
                if (!shared(c) && !elementwise(c) && !shaping(c) && !layer(c)) {
                    other(c);
                }
            }
            case OpId.ONNX_ML -> MlRules.apply(c);
            case OpId.ONNX_PREVIEW, OpId.ONNX_TRAINING -> TrainingRules.apply(c);
            case OpId.MICROSOFT, OpId.MILLRACE -> ContribRules.apply(c);
            default -> {}
        }
    }

    /** The rules that many operators have in common; the table of operators says whose they are. */
    private static boolean shared(InferenceContext c) {
        Set<Trait> traits = Schemas.traits(c.node().op());
        if (traits.contains(Trait.SAME)) {
            ElementwiseRules.sameAsFirst(c);
        } else if (traits.contains(Trait.BROADCASTS)) {
            ElementwiseRules.binary(c);
        } else if (traits.contains(Trait.COMPARES)) {
            ElementwiseRules.comparison(c);
        } else if (traits.contains(Trait.MIXES)) {
            ElementwiseRules.variadic(c);
        } else if (traits.contains(Trait.TESTS)) {
            ElementwiseRules.test(c);
        } else if (traits.contains(Trait.REDUCES)) {
            ReductionRules.reduce(c);
        } else {
            return false;
        }
        return true;
    }

    private static boolean elementwise(InferenceContext c) {
        switch (c.op()) {
            case "Clip" -> ElementwiseRules.clip(c);
            case "SwiGLU" -> ElementwiseRules.sameShapes(c);
            case "Softmax", "LogSoftmax", "Hardmax" -> ElementwiseRules.alongAxis(c, c.opset() < 13 ? 1 : -1);
            case "Identity" -> c.set(0, c.type(0));
            case "Pow" -> ElementwiseRules.pow(c);
            case "PRelu" -> ElementwiseRules.pRelu(c);
            case "Where" -> ElementwiseRules.where(c);
            case "Cast" -> ElementwiseRules.cast(c);
            case "BitCast" -> ElementwiseRules.bitCast(c);
            case "CastLike" -> c.set(0, c.element(1), c.dims(0));
            case "Dropout" -> ElementwiseRules.dropout(c);
            case "Bernoulli", "RandomNormalLike", "RandomUniformLike" -> ElementwiseRules.like(c);
            case "EyeLike" -> ElementwiseRules.eyeLike(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean shaping(InferenceContext c) {
        switch (c.op()) {
            case "Reshape" -> ShapeRules.reshape(c);
            case "Flatten" -> ShapeRules.flatten(c);
            case "Squeeze" -> ShapeRules.squeeze(c);
            case "Unsqueeze" -> ShapeRules.unsqueeze(c);
            case "Transpose" -> ShapeRules.transpose(c);
            case "Shape" -> ShapeRules.shape(c);
            case "Size" -> c.set(0, Types.scalar(ElementType.INT64));
            case "Expand" -> ShapeRules.expand(c);
            case "Tile" -> ShapeRules.tile(c);
            case "Pad" -> ShapeRules.pad(c);
            case "Trilu" -> ShapeRules.trilu(c);
            case "DepthToSpace" -> ShapeRules.depthToSpace(c);
            case "SpaceToDepth" -> ShapeRules.spaceToDepth(c);
            case "CenterCropPad" -> ShapeRules.centerCropPad(c);
            case "Concat" -> ConcatRules.concat(c);
            case "Split" -> ConcatRules.split(c);
            case "Slice" -> SliceRule.slice(c);
            case "Crop", "DynamicSlice" -> SliceRule.early(c);
            case "Gather" -> GatherRules.gather(c);
            case "GatherElements" -> GatherRules.gatherElements(c);
            case "GatherND" -> GatherRules.gatherNd(c);
            case "Scatter", "ScatterElements" -> GatherRules.scatterElements(c);
            case "ScatterND" -> GatherRules.scatterNd(c);
            case "Compress" -> GatherRules.compress(c);
            case "NonZero" -> GatherRules.nonZero(c);
            case "Unique" -> GatherRules.unique(c);
            case "ReverseSequence" -> GatherRules.reverseSequence(c);
            case "TensorScatter" -> GatherRules.tensorScatter(c);
            case "TopK" -> GatherRules.topK(c);
            case "OneHot" -> GatherRules.oneHot(c);
            case "Constant" -> GeneratorRules.constant(c);
            case "ConstantOfShape" -> GeneratorRules.constantOfShape(c);
            case "Range" -> GeneratorRules.range(c);
            case "RandomNormal", "RandomUniform" -> GeneratorRules.random(c);
            case "Multinomial" -> GeneratorRules.multinomial(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean layer(InferenceContext c) {
        switch (c.op()) {
            case "ArgMax", "ArgMin" -> ReductionRules.argReduce(c);
            case "CumProd", "CumSum" -> ReductionRules.cumulate(c);
            case "InstanceNormalization" -> NormalizationRules.instanceNormalization(c);
            case "GroupNormalization" -> NormalizationRules.groupNormalization(c);
            case "LRN" -> NormalizationRules.neighbours(c);
            case "LpNormalization" -> NormalizationRules.lpNormalization(c);
            case "LayerNormalization" -> NormalizationRules.layerNormalization(c);
            case "RMSNormalization", "SimplifiedLayerNormalization" -> NormalizationRules.rmsNormalization(c);
            case "BatchNormalization" -> NormalizationRules.batchNormalization(c);
            case "MatMul" -> MatrixRules.matMul(c);
            case "MatMulInteger" -> MatrixRules.matMulInteger(c);
            case "QLinearMatMul" -> MatrixRules.qLinearMatMul(c);
            case "Gemm" -> MatrixRules.gemm(c);
            case "Einsum" -> EinsumRule.einsum(c);
            case "Det" -> MatrixRules.det(c);
            case "Conv" -> ConvolutionRules.conv(c);
            case "ConvInteger" -> ConvolutionRules.convInteger(c);
            case "QLinearConv" -> ConvolutionRules.qLinearConv(c);
            case "ConvTranspose" -> ConvolutionRules.convTranspose(c);
            case "DeformConv" -> ConvolutionRules.deformConv(c);
            case "CausalConvWithState" -> ConvolutionRules.causalConvWithState(c);
            case "MaxPool" -> PoolingRules.maxPool(c);
            case "AveragePool", "LpPool" -> PoolingRules.pool(c);
            case "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool" -> PoolingRules.global(c);
            case "MaxUnpool" -> PoolingRules.maxUnpool(c);
            case "MaxRoiPool" -> ImageRules.maxRoiPool(c);
            case "RoiAlign" -> ImageRules.roiAlign(c);
            case "Col2Im" -> ImageRules.col2Im(c);
            case "Resize" -> ResizeRules.resize(c);
            case "Upsample" -> ResizeRules.upsample(c);
            case "GridSample" -> ImageRules.gridSample(c);
            case "AffineGrid" -> ImageRules.affineGrid(c);
            case "ImageDecoder" -> ImageRules.imageDecoder(c);
            case "NonMaxSuppression" -> ImageRules.nonMaxSuppression(c);
            case "QuantizeLinear" -> QuantizationRules.quantize(c);
            case "DequantizeLinear" -> QuantizationRules.dequantize(c);
            case "DynamicQuantizeLinear" -> QuantizationRules.dynamicQuantize(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void other(InferenceContext c) {
        switch (c.op()) {
            case "RNN", "GRU", "LSTM" -> RecurrentRules.recurrent(c);
            case "Attention" -> AttentionRules.attention(c);
            case "RotaryEmbedding" -> AttentionRules.rotaryEmbedding(c);
            case "LinearAttention" -> AttentionRules.linearAttention(c);
            case "If" -> ControlFlowRules.branch(c);
            case "Loop" -> ControlFlowRules.loop(c);
            case "Scan" -> ScanRule.scan(c);
            case "SequenceMap" -> ControlFlowRules.sequenceMap(c);
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
                    "OptionalHasElement" -> SequenceRules.apply(c);
            case "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss" -> LossRules.loss(c);
            case "StringNormalizer", "StringSplit", "TfIdfVectorizer" -> TextRules.apply(c);
            case "DFT", "STFT", "MelWeightMatrix", "BlackmanWindow", "HammingWindow", "HannWindow" ->
                SignalRules.apply(c);
            default -> {}
        }
    }
}
