package dev.millrace.graph.infer.rule;

import static dev.millrace.graph.infer.rule.InferenceContext.with;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The engine's own operators, and those of {@code com.microsoft} that optimised models use. */
final class ContribInference {
    private ContribInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case OpName.LINEAR -> linear(c);
            case OpName.APPEND_STEPS -> AttentionInference.appendSteps(c);
            case "DeformColumns" -> ConvolutionInference.deformColumns(c);
            case "FusedMatMul", "TransposeMatMul" -> fusedMatMul(c);
            case "FusedGemm" -> MatrixInference.gemm(c);
            case "FusedConv" -> ConvolutionInference.conv(c);
            case OpName.GELU, "FastGelu", "BiasGelu", "QuickGelu" -> gelu(c);
            case OpName.ROTARY_EMBEDDING -> rotary(c, 1, 2);
            case "MRotaryEmbedding" -> rotary(c, 3, 3);
            case "MaxpoolWithMask" -> maskedPool(c);
            case "BiasSoftmax",
                    OpName.TRILU,
                    "QLinearSigmoid",
                    "QLinearLeakyRelu",
                    "QLinearSoftmax",
                    "GroupNorm",
                    "SampleOp" -> ElementwiseInference.sameAsFirst(c);
            case "AttnLSTM" -> RecurrentInference.recurrent(c);
            case "BeamSearch", "WhisperBeamSearch" -> ControlFlowInference.beamSearch(c);
            case "GreedySearch", "Sampling" -> ControlFlowInference.greedySearch(c);
            case "BiasDropout" -> {
                c.set(0, c.tensor(0));
                c.set(1, ElementType.BOOL, c.dims(0));
            }
            case "BitmaskDropout", "BitmaskBiasDropout" -> {
                c.set(0, c.tensor(0));
                c.set(1, ElementType.UINT32, Dims.unknown(1));
            }
            case "Inverse" -> inverse(c);
            case "MurmurHash3" ->
                c.set(0, c.attributes().flag("positive", true) ? ElementType.UINT32 : ElementType.INT32, c.dims(0));
            case "GatherBlockQuantized" -> CompositeInference.gatherBlocks(c);
            case "CropAndResize" -> CompositeInference.cropAndResize(c);
            case "NGramRepeatBlock" -> CompositeInference.repeats(c);
            case "BiasSplitGelu" -> {
                bias(c);
                c.set(0, c.element(0), halved(c));
            }
            case "BiasAdd" -> {
                bias(c);
                ElementwiseInference.sameAsFirst(c);
            }
            case "SimplifiedLayerNormalization", OpName.RMS_NORMALIZATION -> NormalizationInference.rmsNormalization(c);
            case OpName.LAYER_NORMALIZATION -> NormalizationInference.layerNormalization(c);
            case "QEmbedLayerNormalization" -> {
                c.set(0, ElementType.FLOAT, List.of(c.dim(0, 0), c.dim(0, 1), c.dim(2, 1)));
                c.set(1, ElementType.INT32, List.of(c.dim(0, 0)));
            }
            case "SkipLayerNormalization", "SkipSimplifiedLayerNormalization" -> skipLayerNormalization(c);
            case "EmbedLayerNormalization" -> embedLayerNormalization(c);
            case OpName.ATTENTION,
                    "QAttention",
                    "DecoderAttention",
                    "LongformerAttention",
                    "QOrderedLongformerAttention",
                    "SparseAttention",
                    "PagedAttention",
                    "DecoderMaskedSelfAttention",
                    "DecoderMaskedMultiHeadAttention",
                    OpName.MULTI_HEAD_ATTENTION,
                    OpName.GROUP_QUERY_ATTENTION -> ContribAttentionInference.apply(c);
            case OpName.MATMUL_N_BITS, "MatMulBnb4" -> matMulBlocks(c);
            case "MatMulNBitsMlp", "MatMulNBitsQkv", "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight" ->
                BlockInference.apply(c);
            case "MatMulFpQ4" -> matMulPacked(c);
            case "SparseToDenseMatMul" -> c.set(0, c.element(1), null);
            case "DynamicQuantizeMatMul" -> MatrixInference.matMul(c);
            case "MatMulIntegerToFloat" -> c.set(0, c.element(2), MatrixInference.product(c, c.dims(0), c.dims(1)));
            case "MatMulInteger16" -> c.set(0, wideProduct(c), MatrixInference.product(c, c.dims(0), c.dims(1)));
            case OpName.LINEAR_ATTENTION -> AttentionInference.linearAttention(c);
            case "CausalConvWithState" -> ConvolutionInference.causalConvWithState(c);
            case "QGemm" -> c.set(0, c.has(8) ? c.element(8) : ElementType.FLOAT, MatrixInference.gemm(c, 3));
            case "QLinearAdd", "QLinearMul" -> c.set(0, c.element(0), Dims.broadcast(c.dims(0), c.dims(3), c));
            case "QLinearConcat" -> qLinearConcat(c);
            case OpName.Q_LINEAR_CONV -> qLinearConv(c);
            case "QLinearAveragePool" -> c.set(0, c.element(0), PoolingInference.pooled(c, channelsLast(c)));
            case "QLinearGlobalAveragePool" ->
                c.set(0, c.element(0), PoolingInference.globallyPooled(c, channelsLast(c)));
            case "NhwcMaxPool" -> c.set(0, c.element(0), PoolingInference.pooled(c, true));
            case OpName.QUANTIZE_LINEAR -> QuantizationInference.quantize(c);
            case OpName.DEQUANTIZE_LINEAR -> QuantizationInference.dequantize(c);
            case OpName.GRID_SAMPLE -> ImageInference.gridSample(c);
            default -> CompositeInference.apply(c);
        }
    }

    private static void inverse(InferenceContext c) {
        List<Dim> dims = c.dims(0, 2, Integer.MAX_VALUE);
        if (dims != null) {
            c.expect(0, -2, dims.getLast());
        }
        c.set(0, c.tensor(0));
    }

    private static void qLinearConv(InferenceContext c) {
        if (channelsLast(c)) {
            List<Dim> dims = c.dims(0);
            c.set(0, c.element(7), dims == null ? null : Dims.unknown(dims.size()));
        } else {
            ConvolutionInference.qLinearConv(c);
        }
    }

    private static void gelu(InferenceContext c) {
        if (c.inputs() > 2) {
            throw c.refuse("it has " + c.inputs() + " inputs where a value and a bias are allowed");
        }
        List<Dim> bias = c.op().equals("FastGelu") && c.has(1) ? c.dims(1) : null;
        if (bias != null && bias.size() > 1) {
            // its definition as a function adds any bias that broadcasts
            c.set(0, c.element(0), Dims.broadcast(c.dims(0), bias, c));
        } else {
            bias(c);
            ElementwiseInference.sameAsFirst(c);
        }
    }

    /** Input 1, where there is one, has a number for each element along the last axis of input 0. */
    private static void bias(InferenceContext c) {
        if (c.has(1)) {
            List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
            c.dims(1, 1);
            if (dims != null) {
                OperandChecks.shape(c, 1, dims.getLast());
            }
        }
    }

    private static void maskedPool(InferenceContext c) {
        List<Dim> x = c.dims(0, 3, 5);
        if (x != null) {
            c.dims(1, x.size());
            for (int i = 2; i < x.size(); i++) {
                c.expect(1, i, x.get(i));
            }
        }
        PoolingInference.pool(c);
    }

    private static void rotary(InferenceContext c, int leastAxes, int mostAxes) {
        c.dims(0, 3, 4);
        c.dims(1, leastAxes, mostAxes);
        c.dims(2, 2);
        c.dims(3, 2);
        ElementwiseInference.sameAsFirst(c);
    }

    private static boolean channelsLast(InferenceContext c) {
        return c.attributes().flag("channels_last", false);
    }

    private static @Nullable List<Dim> halved(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
        return dims == null ? null : with(dims, dims.size() - 1, Dims.floorDiv(dims.getLast(), 2));
    }

    /** X times a matrix, plus a vector, plus a residual, activated. */
    private static void linear(InferenceContext c) {
        List<Dim> weights = c.dims(1, 2);
        List<Dim> product = MatrixInference.product(c, c.dims(0, 1, Integer.MAX_VALUE), weights);
        if (weights != null && c.has(2) && c.dims(2, 1) != null) {
            c.expect(2, 0, weights.get(1));
        }
        if (product != null && c.has(3)) {
            List<Dim> sum = Dims.broadcast(product, c.dims(3), c);
            if (sum != null && sum.size() > product.size()) {
                throw c.refuse("the residual of shape " + c.dims(3) + " does not broadcast to " + product);
            }
        }
        c.set(0, c.element(0), product);
    }

    private static void fusedMatMul(InferenceContext c) {
        if (c.attributes().flag("transBatchA", false) || c.attributes().flag("transBatchB", false)) {
            c.set(
                    0,
                    c.element(0),
                    c.dims(0) == null ? null : Dims.unknown(c.dims(0).size()));
            return;
        }
        List<Dim> a = MatrixInference.transposed(c.dims(0), c.attributes().flag("transA", false));
        List<Dim> b = MatrixInference.transposed(c.dims(1), c.attributes().flag("transB", false));
        c.set(0, c.element(0), MatrixInference.product(c, a, b));
    }

    /** A times a matrix that is packed in blocks; attributes say its extents. */
    private static void matMulBlocks(InferenceContext c) {
        long packed = c.attributes().integer("weight_prepacked", 0);
        if (packed != 0) {
            throw c.refuse("attribute 'weight_prepacked' is " + packed + ": weights in the order of a GPU");
        }
        List<Dim> a = c.dims(0, 1, Integer.MAX_VALUE);
        if (a == null) {
            c.set(0, c.element(0), null);
            return;
        }
        boolean turned = c.attributes().flag("transB", true);
        String inner = turned ? "K" : "N";
        String outer = turned ? "N" : "K";
        if (c.attributes().has(inner)) {
            c.expect(0, -1, Dim.of(c.attributes().integer(inner)));
        }
        Dim columns = c.attributes().has(outer) ? Dim.of(c.attributes().integer(outer)) : Dim.UNKNOWN;
        c.set(0, c.element(0), with(a, a.size() - 1, columns));
    }

    /** The shape of the right matrix is a value. */
    private static void matMulPacked(InferenceContext c) {
        List<Dim> a = c.dims(0, 1, Integer.MAX_VALUE);
        c.dims(1, 1);
        List<Dim> b = c.integers(2);
        if (b != null && b.size() != 2) {
            throw c.refuse("the shape " + b + " of the right operand is none of a matrix");
        }
        if (a != null && b == null) {
            c.set(0, c.element(0), with(a, a.size() - 1, Dim.UNKNOWN));
        } else {
            c.set(0, c.element(0), MatrixInference.product(c, a, b));
        }
    }

    private static ElementType wideProduct(InferenceContext c) {
        boolean unsigned = c.element(0) == ElementType.UINT16 && c.element(1) == ElementType.UINT16;
        return unsigned ? ElementType.UINT32 : ElementType.INT32;
    }

    private static void skipLayerNormalization(InferenceContext c) {
        OperandChecks.required(c, 1, 2);
        List<Dim> dims = c.dims(0, 2, 3);
        List<Dim> statistics = dims == null ? null : with(dims, dims.size() - 1, Dims.ONE);
        OperandChecks.broadcastsTo(c, 1, dims);
        for (int i = 2; i < c.inputs(); i++) {
            OperandChecks.count(c, i, "one element for each of a row", c.dim(0, -1));
        }
        c.set(0, c.tensor(0));
        c.set(1, ElementType.FLOAT, statistics);
        c.set(2, ElementType.FLOAT, statistics);
        c.set(3, c.tensor(0));
    }

    private static void embedLayerNormalization(InferenceContext c) {
        OperandChecks.required(c, 2, 3, 5, 6);
        c.dims(0, 2);
        c.dims(2, 2);
        OperandChecks.shape(c, 1, c.dims(0));
        OperandChecks.shape(c, 3, Dim.UNKNOWN, c.dim(2, 1));
        OperandChecks.shape(c, 4, Dim.UNKNOWN, c.dim(2, 1));
        OperandChecks.count(c, 5, "one element for each of an embedding", c.dim(2, 1));
        OperandChecks.count(c, 6, "one element for each of an embedding", c.dim(2, 1));
        List<Dim> embedded = List.of(c.dim(0, 0), c.dim(0, 1), c.dim(2, 1));
        c.set(0, c.element(2), embedded);
        c.set(1, ElementType.INT32, List.of(c.dim(0, 0)));
        c.set(2, c.element(2), embedded);
    }

    /** After a scale and a zero point of the result, each part comes with its own. */
    private static void qLinearConcat(InferenceContext c) {
        if (c.inputs() < 5 || (c.inputs() - 2) % 3 != 0) {
            throw c.refuse(c.inputs() + " inputs do not fit; two and three for each part are needed");
        }
        var shapes = new ArrayList<@Nullable List<Dim>>();
        for (int i = 2; i < c.inputs(); i += 3) {
            shapes.add(c.dims(i));
        }
        c.set(0, c.element(1), ConcatInference.joined(c, shapes, c.attributes().integer("axis")));
    }
}
