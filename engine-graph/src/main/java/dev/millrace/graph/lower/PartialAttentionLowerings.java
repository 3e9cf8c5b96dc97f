package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Attention in which a query meets some of the keys only, written as one that meets all, with a bias that hides the others. */
final class PartialAttentionLowerings {
    private PartialAttentionLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "SparseAttention" -> PartialAttentionLowerings::sparse;
            case "PagedAttention" -> PagedAttentionLowering::write;
            case "LongformerAttention" -> PartialAttentionLowerings::longformer;
            default -> null;
        };
    }

    private static Value hiding(Composer c, Value seen, Value like) {
        ElementType type = ElementType.FLOAT;
        Value bias = c.op(OpName.WHERE, seen, c.scalar(type, 0), c.scalar(type, -Float.MAX_VALUE));
        return c.op(OpName.CAST_LIKE, bias, like);
    }

    private static Value scalar(Composer c, Value one) {
        return c.op(OpName.RESHAPE, one, c.longs());
    }

    private static Value counted(Composer c, Value end) {
        return c.op(OpName.RANGE, c.scalar(0), scalar(c, end), c.scalar(1));
    }

    /** Heads take turns with layouts, which say by blocks of steps what a query sees. What is left of the cache stays. */
    private static void sparse(Composer c) {
        long layouts = c.extent(5, 0);
        long heads = c.attributes().integer("num_heads");
        c.refuse(heads % layouts != 0, layouts + " layouts for " + heads + " heads");
        Value block = c.scalar(c.attributes().integer("sparse_block_size"));
        Value total = c.cast(c.input(7), ElementType.INT64);
        Value keyBlocks = c.op(OpName.DIV, counted(c, total), block);
        Value byKey = c.add(c.onnx(OpName.GATHER, blocks(c), keyBlocks).with("axis", Attribute.of(2)));
        Value steps = c.extents(c.input(0), 1, 2);
        Value lengths = c.cast(c.input(8), ElementType.INT64);
        Value past = c.op(OpName.MAX, c.op(OpName.SUB, lengths, steps), c.scalar(0));
        Value places = c.op(OpName.ADD, c.op(OpName.UNSQUEEZE, past, c.longs(1)), counted(c, steps));
        Value byQuery = c.add(
                c.onnx(OpName.GATHER, byKey, c.op(OpName.DIV, places, block)).with("axis", Attribute.of(1)));
        Value byHead = c.op(OpName.TILE, c.transpose(byQuery, 1, 0, 2, 3), c.longs(1, heads / layouts, 1, 1));
        NodeSpec spec = c.contributed(
                OpName.GROUP_QUERY_ATTENTION,
                c.input(0),
                c.find(1),
                c.find(2),
                c.input(3),
                c.input(4),
                c.op(OpName.SUB, c.input(8), c.scalar(ElementType.INT32, 1)),
                c.input(7),
                c.find(9),
                c.find(10),
                null,
                hiding(c, byHead, c.input(0)));
        List<Value> outputs = c.add(spec.with(c.attributes().without("sparse_block_size")), 3);
        c.result(outputs.getFirst());
        Value room = counted(c, c.extents(c.input(3), 2, 3));
        Value isWritten = c.op(OpName.LESS, room, c.op(OpName.UNSQUEEZE, c.op(OpName.ADD, past, steps), c.longs(1)));
        Value byStep = c.op(OpName.UNSQUEEZE, isWritten, c.longs(1, 3));
        for (int i = 1; i < outputs.size(); i++) {
            c.result(i, c.op(OpName.WHERE, byStep, outputs.get(i), c.input(i + 2)));
        }
    }

    /** Which blocks of keys a block of queries sees, by layout: rows of a compressed matrix, written out. */
    private static Value blocks(Composer c) {
        Value starts = c.cast(c.input(5), ElementType.INT64);
        Value columns = c.cast(c.input(6), ElementType.INT64);
        Value blocks = c.op(OpName.SUB, c.extents(starts, 1, 2), c.longs(1));
        Value from =
                c.op(OpName.UNSQUEEZE, c.op(OpName.SLICE, starts, c.longs(0), c.longs(-1), c.longs(1)), c.longs(2));
        Value to = c.op(
                OpName.UNSQUEEZE,
                c.op(OpName.SLICE, starts, c.longs(1), c.longs(Long.MAX_VALUE), c.longs(1)),
                c.longs(2));
        Value entry = counted(c, c.extents(columns, 1, 2));
        Value ofRow = c.op(OpName.AND, c.op(OpName.GREATER_OR_EQUAL, entry, from), c.op(OpName.LESS, entry, to));
        Value ofColumn = c.op(OpName.EQUAL, c.op(OpName.UNSQUEEZE, columns, c.longs(2)), counted(c, blocks));
        Value count = c.op(OpName.MATMUL, c.cast(ofRow, ElementType.FLOAT), c.cast(ofColumn, ElementType.FLOAT));
        return c.op(OpName.GREATER, count, c.scalar(ElementType.FLOAT, 0));
    }

    private static void longformer(Composer c) {
        c.result(longformer(c, c.input(3), c.input(6), projected(c, 1), projected(c, 4)));
    }

    private static Value projected(Composer c, int weights) {
        return c.op(OpName.ADD, c.op(OpName.MATMUL, c.input(0), c.input(weights)), c.input(weights + 1));
    }

    /**
     * Steps see those that are near and those that all see; the latter see all, by projections of their own. A step that
     * the mask hides sees nothing.
     */
    static Value longformer(Composer c, Value mask, Value global, Value nearParts, Value globalParts) {
        Value places = counted(c, c.extents(c.input(0), 1, 2));
        Value apart = c.op(OpName.SUB, c.op(OpName.UNSQUEEZE, places, c.longs(1)), places);
        Value near = c.op(
                OpName.LESS_OR_EQUAL,
                c.op(OpName.ABS, apart),
                c.scalar(c.attributes().integer("window")));
        Value isGlobal = c.op(OpName.NOT, c.op(OpName.EQUAL, global, c.scalar(ElementType.INT32, 0)));
        Value seen = c.op("Or", near, c.op(OpName.UNSQUEEZE, isGlobal, c.longs(1, 2)));
        Value ofKeys = c.op(OpName.UNSQUEEZE, mask, c.longs(1, 2));
        Value local = attended(c, nearParts, c.op(OpName.ADD, hiding(c, seen, mask), ofKeys));
        Value all = attended(c, globalParts, c.op(OpName.EXPAND, ofKeys, c.op(OpName.SHAPE, seen)));
        Value attended = c.op(OpName.WHERE, c.op(OpName.UNSQUEEZE, isGlobal, c.longs(2)), all, local);
        Value zero = c.op(OpName.CAST_LIKE, c.scalar(ElementType.FLOAT, 0), mask);
        return c.op(OpName.WHERE, c.op(OpName.UNSQUEEZE, c.op(OpName.LESS, mask, zero), c.longs(2)), zero, attended);
    }

    private static Value attended(Composer c, Value together, Value bias) {
        List<Value> parts = c.split(together, 3);
        return c.add(c.contributed(
                        OpName.MULTI_HEAD_ATTENTION, parts.getFirst(), parts.get(1), parts.get(2), null, null, bias)
                .with("num_heads", Attribute.of(c.attributes().integer("num_heads"))));
    }
}
