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
            case "Clip" -> ElementwiseInference.clip(c);
            case "SwiGLU" -> ElementwiseInference.sameShapes(c);
            case "Softmax", "LogSoftmax", "Hardmax" -> ElementwiseInference.alongAxis(c, c.opset() < 13 ? 1 : -1);
            case "Identity" -> c.set(0, c.type(0));
            case "Pow" -> ElementwiseInference.pow(c);
            case "PRelu" -> ElementwiseInference.pRelu(c);
            case "Where" -> ElementwiseInference.where(c);
            case "Cast" -> ElementwiseInference.cast(c);
            case "BitCast" -> ElementwiseInference.bitCast(c);
            case "CastLike" -> c.set(0, c.element(1), c.dims(0));
            case "Dropout" -> ElementwiseInference.dropout(c);
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
            case "Reshape" -> ShapeInference.reshape(c);
            case "Flatten" -> ShapeInference.flatten(c);
            case "Squeeze" -> ShapeInference.squeeze(c);
            case "Unsqueeze" -> ShapeInference.unsqueeze(c);
            case "Transpose" -> ShapeInference.transpose(c);
            case "Shape" -> ShapeInference.shape(c);
            case "Size" -> c.set(0, TypeLattice.scalar(ElementType.INT64));
            case "Expand" -> ShapeInference.expand(c);
            case "Tile" -> ShapeInference.tile(c);
            case "Pad" -> ShapeInference.pad(c);
            case "Trilu" -> ShapeInference.trilu(c);
            case "DepthToSpace" -> ShapeInference.depthToSpace(c);
            case "SpaceToDepth" -> ShapeInference.spaceToDepth(c);
            case "CenterCropPad" -> ShapeInference.centerCropPad(c);
            case "Concat" -> ConcatInference.concat(c);
            case "Split" -> ConcatInference.split(c);
            case "Slice" -> SliceRule.slice(c);
            case "Crop", "DynamicSlice" -> SliceRule.early(c);
            case "Gather" -> GatherInference.gather(c);
            case "GatherElements" -> GatherInference.gatherElements(c);
            case "GatherND" -> GatherInference.gatherNd(c);
            case "Scatter", "ScatterElements" -> GatherInference.scatterElements(c);
            case "ScatterND" -> GatherInference.scatterNd(c);
            case "Compress" -> GatherInference.compress(c);
            case "NonZero" -> GatherInference.nonZero(c);
            case "Unique" -> GatherInference.unique(c);
            case "ReverseSequence" -> GatherInference.reverseSequence(c);
            case "TensorScatter" -> GatherInference.tensorScatter(c);
            case "TopK" -> GatherInference.topK(c);
            case "OneHot" -> GatherInference.oneHot(c);
            case "Constant" -> GeneratorInference.constant(c);
            case "ConstantOfShape" -> GeneratorInference.constantOfShape(c);
            case "Range" -> GeneratorInference.range(c);
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
            case "ArgMax", "ArgMin" -> ReductionInference.argReduce(c);
            case "CumProd", "CumSum" -> ReductionInference.cumulate(c);
            case "InstanceNormalization" -> NormalizationInference.instanceNormalization(c);
            case "GroupNormalization" -> NormalizationInference.groupNormalization(c);
            case "LRN" -> NormalizationInference.neighbours(c);
            case "LpNormalization" -> NormalizationInference.lpNormalization(c);
            case "LayerNormalization" -> NormalizationInference.layerNormalization(c);
            case "RMSNormalization", "SimplifiedLayerNormalization" -> NormalizationInference.rmsNormalization(c);
            case "BatchNormalization" -> NormalizationInference.batchNormalization(c);
            case "MatMul" -> MatrixInference.matMul(c);
            case "MatMulInteger" -> MatrixInference.matMulInteger(c);
            case "QLinearMatMul" -> MatrixInference.qLinearMatMul(c);
            case "Gemm" -> MatrixInference.gemm(c);
            case "Einsum" -> EinsumRule.einsum(c);
            case "Det" -> MatrixInference.det(c);
            case "Conv" -> ConvolutionInference.conv(c);
            case "ConvInteger" -> ConvolutionInference.convInteger(c);
            case "QLinearConv" -> ConvolutionInference.qLinearConv(c);
            case "ConvTranspose" -> ConvolutionInference.convTranspose(c);
            case "DeformConv" -> ConvolutionInference.deformConv(c);
            case "CausalConvWithState" -> ConvolutionInference.causalConvWithState(c);
            case "MaxPool" -> PoolingInference.maxPool(c);
            case "AveragePool", "LpPool" -> PoolingInference.pool(c);
            case "GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool" -> PoolingInference.global(c);
            case "MaxUnpool" -> PoolingInference.maxUnpool(c);
            case "MaxRoiPool" -> ImageInference.maxRoiPool(c);
            case "RoiAlign" -> ImageInference.roiAlign(c);
            case "Col2Im" -> ImageInference.col2Im(c);
            case "Resize" -> ResizeInference.resize(c);
            case "Upsample" -> ResizeInference.upsample(c);
            case "GridSample" -> ImageInference.gridSample(c);
            case "AffineGrid" -> ImageInference.affineGrid(c);
            case "ImageDecoder" -> ImageInference.imageDecoder(c);
            case "NonMaxSuppression" -> ImageInference.nonMaxSuppression(c);
            case "QuantizeLinear" -> QuantizationInference.quantize(c);
            case "DequantizeLinear" -> QuantizationInference.dequantize(c);
            case "DynamicQuantizeLinear" -> QuantizationInference.dynamicQuantize(c);
            default -> {
                return false;
            }
        }
        return true;
    }

    private static void other(InferenceContext c) {
        switch (c.op()) {
            case "RNN", "GRU", "LSTM" -> RecurrentInference.recurrent(c);
            case "Attention" -> AttentionInference.attention(c);
            case "RotaryEmbedding" -> AttentionInference.rotaryEmbedding(c);
            case "LinearAttention" -> AttentionInference.linearAttention(c);
            case "If" -> ControlFlowInference.branch(c);
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
            case "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss" -> LossInference.loss(c);
            case "StringNormalizer", "StringSplit", "TfIdfVectorizer" -> TextInference.apply(c);
            case "DFT", "STFT", "MelWeightMatrix", "BlackmanWindow", "HammingWindow", "HannWindow" ->
                SignalInference.apply(c);
            default -> {}
        }
    }
}
