package dev.millrace.graph.infer.rule;

import static dev.millrace.graph.infer.rule.InferenceContext.with;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Operators of other domains that are written as several of ONNX's. What is said of them here is what tells how to
 * write them: elements and rank. Extents follow from what is written.
 */
final class CompositeInference {
    private CompositeInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case "FusedMatMulActivation" -> c.set(0, c.element(0), unknown(c.dims(0)));
            case "NhwcConv", "NhwcFusedConv", "ConvTransposeWithDynamicPads" ->
                c.set(0, c.element(0), unknown(c.dims(0, 3, Integer.MAX_VALUE)));
            case "SkipGroupNorm" -> {
                c.set(0, c.tensor(0));
                c.set(1, c.tensor(0));
            }
            case "GemmFastGelu" -> MatrixInference.matMul(c);
            case OpName.PAD -> c.set(0, c.element(0), unknown(c.dims(0)));
            case OpName.RANGE -> c.set(0, c.element(0), Dims.unknown(1));
            case "ExpandDims" -> c.set(0, c.element(0), oneMore(c.dims(0)));
            case "Rfft" -> c.set(0, c.element(0), oneMore(c.dims(0, 1, Integer.MAX_VALUE)));
            case "Irfft" -> c.set(0, c.element(0), oneLess(c.dims(0, 2, Integer.MAX_VALUE)));
            case "CDist" -> c.set(0, c.element(0), List.of(c.dim(0, 0), c.dim(1, 0)));
            case OpName.GATHER_ND -> GatherInference.gatherNd(c);
            case "TorchEmbedding" -> GatherInference.gather(c);
            case OpName.UNIQUE -> unique(c);
            case "MulInteger" -> c.set(0, ElementType.INT32, Dims.broadcast(c.dims(0), c.dims(2), c));
            case "ReduceSumInteger" -> reduced(c, wide(c.element(0)));
            case "QLinearReduceMean" -> reduced(c, c.element(0));
            case "QLinearWhere" ->
                c.set(0, c.element(1), Dims.broadcast(c.dims(0), Dims.broadcast(c.dims(1), c.dims(4), c), c));
            case "RemovePadding" -> packed(c);
            case "RestorePadding" -> {
                c.dims(0, 2);
                c.dims(1, 2);
                c.set(0, c.element(0), List.of(c.dim(1, 0), c.dim(1, 1), c.dim(0, 1)));
            }
            case "PackedAttention" -> {
                c.dims(0, 2);
                c.set(0, c.element(0), Dims.unknown(2));
            }
            case "PackedMultiHeadAttention" -> {
                c.dims(0, 2, 4);
                c.set(0, c.element(0), Dims.unknown(2));
            }
            case "LinearAttentionGate" -> {
                c.set(0, c.tensor(0));
                c.set(1, c.has(3) ? c.tensor(3) : null);
            }
            case "GatedAdd", "GatedRMSNorm" -> ElementwiseInference.sameAsFirst(c);
            case "RelativePositionBias", "GatedRelativePositionBias" -> c.set(0, c.element(0), Dims.unknown(4));
            case "GemmaRotaryEmbedding" -> {
                c.set(0, c.tensor(1));
                c.set(1, c.tensor(3));
            }
            case "ComplexMul", "ComplexMulConj" -> {
                c.dims(0, 1, Integer.MAX_VALUE);
                c.dims(1, 1, Integer.MAX_VALUE);
                c.expect(0, -1, Dim.of(2));
                c.expect(1, -1, Dim.of(2));
                c.set(0, c.element(0), Dims.broadcast(c.dims(0), c.dims(1), c));
            }
            case "IsAllFinite" -> c.set(0, ElementType.BOOL, List.of());
            case "UnfoldTensor" -> unfolded(c);
            case "GemmFloat8" -> {
                c.dims(0, 2);
                c.dims(1, 2);
                c.set(0, ElementType.requireCode(c.attributes().integer("dtype", 1)), Dims.unknown(2));
            }
            case OpName.MOE, OpName.Q_MOE -> ExpertInference.apply(c);
            case "Tokenizer" -> {
                List<Dim> texts = c.dims(0, 1, 2);
                boolean some = texts != null && texts.stream().allMatch(dim -> dim.isKnown() && !dim.is(0));
                c.set(0, ElementType.STRING, some ? oneMore(texts) : null);
            }
            case "QuantizeWithOrder" -> c.set(0, ElementType.INT8, c.dims(0));
            case "DequantizeWithOrder" ->
                c.set(0, ElementType.requireCode(c.attributes().integer("to")), c.dims(0));
            case "QOrderedMatMul" -> c.set(0, c.element(0), MatrixInference.product(c, c.dims(0), c.dims(2)));
            case "QOrderedGelu", "QOrderedLayerNormalization" -> ElementwiseInference.sameAsFirst(c);
            case "QOrderedAttention" -> {
                c.dims(0, 3);
                c.dims(7, 2);
                c.set(0, c.element(0), List.of(c.dim(0, 0), c.dim(0, 1), c.dim(7, 1)));
            }
            case "WordConvEmbedding" -> wordConv(c);
            case "BifurcationDetector" -> {
                c.set(0, ElementType.INT64, Dims.unknown(1));
                c.set(1, c.tensor(2));
            }
            case "DynamicTimeWarping" -> {
                c.dims(0, 2, 3);
                c.set(0, ElementType.INT32, List.of(Dim.of(2), Dim.UNKNOWN));
            }
            case "DynamicQuantizeLSTM" -> {
                c.set(0, c.element(0), Dims.unknown(4));
                c.set(1, c.element(0), Dims.unknown(3));
                c.set(2, c.element(0), Dims.unknown(3));
            }
            default -> {}
        }
    }

    /** Words by letters, filters by letters of a word and their numbers, a bias of filters, letters by their numbers. */
    private static void wordConv(InferenceContext c) {
        c.dims(0, 2);
        c.dims(1, 4);
        c.expect(1, 1, Dim.of(1));
        OperandChecks.shape(c, 2, c.dim(1, 0));
        OperandChecks.shape(c, 3, Dim.UNKNOWN, c.dim(1, 3));
        expect(c, "embedding_size", 0);
        expect(c, "conv_window_size", 2);
        expect(c, "char_embedding_size", 3);
        c.set(0, c.element(1), List.of(c.dim(0, 0), c.dim(1, 0)));
    }

    private static void expect(InferenceContext c, String attribute, int axis) {
        long extent = c.attributes().integer(attribute, -1);
        if (extent != -1) {
            c.expect(1, axis, Dim.of(extent));
        }
    }

    private static @Nullable List<Dim> unknown(@Nullable List<Dim> dims) {
        return dims == null ? null : Dims.unknown(dims.size());
    }

    private static @Nullable List<Dim> oneMore(@Nullable List<Dim> dims) {
        return dims == null ? null : Dims.unknown(dims.size() + 1);
    }

    private static @Nullable List<Dim> oneLess(@Nullable List<Dim> dims) {
        return dims == null ? null : Dims.unknown(dims.size() - 1);
    }

    /** Rows of all texts, places of all steps, where texts end, and the longest of them. */
    private static void packed(InferenceContext c) {
        c.dims(0, 3);
        OperandChecks.shape(c, 1, c.dim(0, 0));
        c.set(0, c.element(0), List.of(Dim.UNKNOWN, c.dim(0, 2)));
        c.set(1, ElementType.INT32, List.of(c.dim(0, 0), c.dim(0, 1)));
        c.set(2, ElementType.INT32, List.of(Dims.add(c.dim(0, 0), Dims.ONE)));
        c.set(3, ElementType.INT32, List.of(Dims.ONE));
    }

    private static void unfolded(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
        if (dims != null) {
            int axis = c.axis(c.attributes().integer("dim", -1), dims.size());
            long size = c.attributes().integer("size");
            if (dims.get(axis) instanceof Dim.Known known && known.extent() < size) {
                throw c.refuse("windows of " + size + " do not fit axis " + axis + " of " + dims);
            }
        }
        c.set(0, c.element(0), oneMore(dims));
    }

    private static void unique(InferenceContext c) {
        c.set(0, c.element(0), Dims.unknown(1));
        c.set(1, ElementType.INT64, Dims.unknown(1));
        c.set(2, ElementType.INT64, Dims.unknown(1));
    }

    private static @Nullable ElementType wide(@Nullable ElementType small) {
        return small == null ? null : small == ElementType.UINT8 ? ElementType.UINT32 : ElementType.INT32;
    }

    private static void reduced(InferenceContext c, @Nullable ElementType element) {
        List<Dim> dims = c.dims(0);
        long[] axes = c.attributes().integers("axes");
        boolean keeps = c.attributes().isOne("keepdims", true);
        if (dims == null || keeps) {
            c.set(0, element, unknown(dims));
            return;
        }
        int folded = axes == null ? dims.size() : c.axes(axes, dims.size()).length;
        c.set(0, element, Dims.unknown(dims.size() - folded));
    }

    /** Rows of a table in blocks, each with a scale; several elements may lie in a byte. */
    static void gatherBlocks(InferenceContext c) {
        List<Dim> data = c.dims(0, 1, Integer.MAX_VALUE);
        List<Dim> indices = c.dims(1);
        if (data == null || indices == null) {
            c.set(0, c.element(2), null);
            return;
        }
        long bits = c.attributes().integer("bits", 4);
        if (bits != 2 && bits != 4 && bits != 8) {
            throw c.refuse("attribute 'bits' is " + bits + " where 2, 4 or 8 is expected");
        }
        boolean packed = c.element(0) == ElementType.UINT8 && bits < 8;
        int last = data.size() - 1;
        List<Dim> unpacked = packed ? with(data, last, Dims.mul(data.get(last), 8 / bits)) : data;
        int axis = c.axis(c.attributes().integer("gather_axis", 0), data.size());
        int blocked = c.axis(c.attributes().integer("quantize_axis", 1), data.size());
        long block = c.attributes().integer("block_size", 128);
        if (axis == blocked || block <= 0) {
            throw c.refuse(
                    "blocks of " + block + " elements of axis " + blocked + " cannot be gathered from axis " + axis);
        }
        OperandChecks.shape(c, 2, with(unpacked, blocked, Dims.ceilDiv(unpacked.get(blocked), block)));
        var dims = new ArrayList<>(unpacked.subList(0, axis));
        dims.addAll(indices);
        dims.addAll(unpacked.subList(axis + 1, unpacked.size()));
        c.set(0, c.element(2), dims);
    }

    /** Boxes of images, each resized to one extent. */
    static void cropAndResize(InferenceContext c) {
        c.dims(0, 4);
        c.dims(1, 2);
        c.expect(1, 1, Dim.of(4));
        OperandChecks.shape(c, 2, c.dim(1, 0));
        List<Dim> size = c.integers(3);
        if (size != null && size.size() != 2) {
            throw c.refuse("input 3 has " + size.size() + " elements where a height and a width are expected");
        }
        Dim height = size == null ? Dim.UNKNOWN : size.getFirst();
        Dim width = size == null ? Dim.UNKNOWN : size.getLast();
        c.set(0, c.element(0), List.of(c.dim(1, 0), c.dim(0, 1), height, width));
    }

    /** Scores of words, of which those that would repeat a sequence are ruled out. */
    static void repeats(InferenceContext c) {
        c.dims(0, 2);
        c.dims(1, 2);
        OperandChecks.shape(c, 1, c.dim(0, 0), c.dim(1, 1));
        if (c.attributes().integer("ngram_size") < 1) {
            throw c.refuse("attribute 'ngram_size' is not positive");
        }
        c.set(0, c.tensor(1));
    }
}
