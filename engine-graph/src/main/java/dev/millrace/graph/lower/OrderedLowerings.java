package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * Operators on 8-bit matrices whose elements lie by row or by column, whatever their shape says; there are no zero points.
 * The orders of tiles of one maker's processors are refused.
 */
final class OrderedLowerings {
    private static final long BY_COLUMN = 0;
    private static final long BY_ROW = 1;
    private static final int PROJECTIONS = 3;

    private OrderedLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "QuantizeWithOrder" -> OrderedLowerings::quantise;
            case "DequantizeWithOrder" -> OrderedLowerings::dequantise;
            case "QOrderedMatMul" -> OrderedLowerings::product;
            case "QOrderedLayerNormalization" -> OrderedLowerings::norm;
            case "QOrderedGelu" -> OrderedLowerings::gelu;
            case "QOrderedAttention" -> OrderedLowerings::attention;
            case "QOrderedLongformerAttention" -> OrderedLowerings::longformer;
            default -> null;
        };
    }

    private static boolean isByColumn(Composer c, String attribute) {
        long order = c.attributes().integer(attribute, BY_ROW);
        c.refuse(order != BY_ROW && order != BY_COLUMN, attribute + " " + order);
        return order == BY_COLUMN;
    }

    private static long[] swapped(Composer c, int input) {
        int rank = c.rank(input);
        c.refuse(rank < 2, "a matrix of " + rank + " axes");
        long[] axes = new long[rank];
        for (int i = 0; i < rank; i++) {
            axes[i] = i < rank - 2 ? i : 2L * rank - 3 - i;
        }
        return axes;
    }

    /** The matrices of an input, whose elements lie by column, by row. */
    private static Value byRow(Composer c, int input) {
        int rank = c.rank(input);
        long[] swapped = swapped(c, input);
        Value matrices = c.input(input);
        Value before = c.extents(matrices, 0, rank - 2);
        Value rows = c.extents(matrices, rank - 2, rank - 1);
        Value columns = c.extents(matrices, rank - 1, rank);
        return c.transpose(c.op(OpName.RESHAPE, matrices, c.concat(0, before, columns, rows)), swapped);
    }

    /** The matrices of an input, whose elements lie by row, by column. */
    private static Value byColumn(Composer c, int input) {
        return c.op(OpName.RESHAPE, c.transpose(c.input(input), swapped(c, input)), c.op(OpName.SHAPE, c.input(input)));
    }

    private static Value inOrder(Composer c) {
        boolean from = isByColumn(c, "order_input");
        boolean to = isByColumn(c, "order_output");
        return from == to ? c.input(0) : from ? byRow(c, 0) : byColumn(c, 0);
    }

    private static Value real(Composer c, Value bytes, Value scale) {
        return c.op(OpName.DEQUANTIZE_LINEAR, bytes, c.op(OpName.RESHAPE, scale, c.longs()));
    }

    private static Value bytes(Composer c, Value real, Value scale) {
        return c.add(c.onnx(OpName.QUANTIZE_LINEAR, real, c.op(OpName.RESHAPE, scale, c.longs()))
                .with("output_dtype", Attribute.of(ElementType.INT8.code())));
    }

    private static void quantise(Composer c) {
        Value ordered = inOrder(c);
        c.result(bytes(c, c.cast(ordered, ElementType.FLOAT), c.input(1)));
    }

    private static void dequantise(Composer c) {
        Value ordered = inOrder(c);
        c.result(c.cast(real(c, ordered, c.input(1)), c.elementAttribute("to", ElementType.FLOAT)));
    }

    private static Value projected(Composer c, int weights, String order, Value scale, @Nullable Value bias) {
        Value matrix = isByColumn(c, order) ? byRow(c, weights) : c.input(weights);
        Value sums = c.cast(c.op(OpName.MATMUL_INTEGER, c.input(0), matrix), ElementType.FLOAT);
        Value product = c.op(OpName.MUL, sums, scale);
        return bias == null ? product : c.op(OpName.ADD, product, bias);
    }

    private static void product(Composer c) {
        c.refuse(isByColumn(c, "order_A") || isByColumn(c, "order_Y"), "a product of matrices by column");
        Value product = projected(c, 2, "order_B", c.op(OpName.MUL, c.input(1), c.input(3)), c.find(5));
        if (c.has(6)) {
            product = c.op(OpName.ADD, product, real(c, c.input(6), c.input(7)));
        }
        c.result(bytes(c, product, c.input(4)));
    }

    private static void norm(Composer c) {
        c.refuse(isByColumn(c, "order_X") || isByColumn(c, "order_Y"), "rows that lie by column");
        NodeSpec spec = c.onnx(
                        OpName.LAYER_NORMALIZATION,
                        real(c, c.input(0), c.input(1)),
                        c.cast(c.input(2), ElementType.FLOAT),
                        c.has(3) ? c.cast(c.input(3), ElementType.FLOAT) : null)
                .with("axis", Attribute.of(c.attributes().integer("axis", -1)))
                .with("epsilon", Attribute.of(c.attributes().real("epsilon", 1e-5f)));
        c.result(bytes(c, c.add(spec), c.input(4)));
    }

    /** Elements stay in the order in which they lie. */
    private static void gelu(Composer c) {
        Value real = real(c, c.input(0), c.input(1));
        c.result(bytes(c, c.op(OpName.GELU, real), c.input(2)));
    }

    /** Each step gives bytes: projections, scores, probabilities and what comes of them. */
    private static void attention(Composer c) {
        c.refuse(isByColumn(c, "order_input") || isByColumn(c, "order_output"), "steps that lie by column");
        c.refuse(c.attributes().flag("unidirectional", false), "attention to what was before alone");
        c.refuse(c.has(18) || c.has(19), "a past, or a bias of scores");
        Value[] parts = new Value[PROJECTIONS];
        for (int i = 0; i < PROJECTIONS; i++) {
            Value scale = c.op(OpName.MUL, c.input(1), c.input(8 + i));
            Value part = stepped(c, projected(c, 5 + i, "order_weight", scale, c.input(11 + i)), 2 + i);
            Value byHead =
                    c.op(OpName.RESHAPE, part, c.longs(0, 0, c.attributes().integer("num_heads"), -1));
            parts[i] = i == 1 ? c.transpose(byHead, 0, 2, 3, 1) : c.transpose(byHead, 0, 2, 1, 3);
        }
        Value scores = stepped(c, c.op(OpName.MATMUL, parts[0], parts[1]), 14);
        Value size = c.op(OpName.SQRT, c.cast(c.extents(parts[0], 3, 4), ElementType.FLOAT));
        Value seen = hidden(c, c.op(OpName.DIV, scores, size));
        Value shares = stepped(c, c.add(c.onnx(OpName.SOFTMAX, seen).with("axis", Attribute.of(-1))), 15);
        Value heads = c.transpose(c.op(OpName.MATMUL, shares, parts[2]), 0, 2, 1, 3);
        c.result(bytes(c, c.op(OpName.RESHAPE, heads, c.longs(0, 0, -1)), c.input(16)));
    }

    /** Projections give bytes, and so does what is seen of them. */
    private static void longformer(Composer c) {
        c.refuse(isByColumn(c, "order_input") || isByColumn(c, "order_output"), "steps that lie by column");
        Value scale = c.op(OpName.MUL, c.input(1), c.input(3));
        Value near = stepped(c, projected(c, 2, "order_weight", scale, c.input(4)), 6);
        Value globalScale = c.op(OpName.MUL, c.input(1), c.input(9));
        Value global = stepped(c, projected(c, 8, "order_global_weight", globalScale, c.input(10)), 11);
        Value mask = c.cast(c.input(7), ElementType.FLOAT);
        c.result(bytes(c, PartialAttentionLowerings.longformer(c, mask, c.input(12), near, global), c.input(13)));
    }

    /** Numbers as bytes of a scale hold them; as they are where there is none. */
    private static Value stepped(Composer c, Value real, int scale) {
        return c.has(scale) ? real(c, bytes(c, real, c.input(scale)), c.input(scale)) : real;
    }

    private static Value hidden(Composer c, Value scores) {
        if (!c.has(17)) {
            return scores;
        }
        int rank = c.rank(17);
        c.refuse(rank != 2 && rank != 3, "a mask of " + rank + " axes");
        Value seen = c.op(OpName.GREATER, c.input(17), c.scalar(ElementType.INT32, 0));
        Value byHead = c.op(OpName.UNSQUEEZE, seen, rank == 2 ? c.longs(1, 2) : c.longs(1));
        return c.op(OpName.WHERE, byHead, scores, c.scalar(ElementType.FLOAT, -Float.MAX_VALUE));
    }
}
