package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Texts of a batch whose tokens lie one behind the other, without what fills short ones up. Offsets say where a batch with
 * filling has each token: those of the tokens first, then those of the filling.
 */
final class PackingLowerings {
    private PackingLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "RemovePadding" -> PackingLowerings::remove;
            case "RestorePadding" -> c -> c.result(restored(c, c.input(0), c.input(1)));
            case "PackedAttention" -> PackingLowerings::attention;
            case "PackedMultiHeadAttention" -> PackingLowerings::multiHead;
            default -> null;
        };
    }

    private static void remove(Composer c) {
        Value counts = c.cast(c.input(1), ElementType.INT64);
        Value there = there(c, c.extents(c.input(0), 1, 2), counts);
        Value flat = c.op(OpName.RESHAPE, there, c.longs(-1));
        Value tokens = places(c, flat);
        Value rows = c.add(c.onnx(OpName.FLATTEN, c.input(0)).with("axis", Attribute.of(2)));
        c.result(c.op(OpName.GATHER, rows, tokens));
        Value offsets =
                c.op(OpName.RESHAPE, c.concat(0, tokens, places(c, c.op(OpName.NOT, flat))), c.op(OpName.SHAPE, there));
        c.result(1, c.cast(offsets, ElementType.INT32));
        Value sums = c.op(OpName.CUM_SUM, counts, c.scalar(0));
        c.result(2, c.cast(c.concat(0, c.longs(0), sums), ElementType.INT32));
        c.result(3, c.cast(c.op(OpName.RESHAPE, c.op(OpName.REDUCE_MAX, counts), c.longs(1)), ElementType.INT32));
    }

    /** Which places of each text have a token. */
    private static Value there(Composer c, Value steps, Value counts) {
        Value places = c.op(OpName.RANGE, c.scalar(0), c.op(OpName.RESHAPE, steps, c.longs()), c.scalar(1));
        return c.op(OpName.LESS, places, c.op(OpName.UNSQUEEZE, counts, c.longs(1)));
    }

    private static Value places(Composer c, Value flat) {
        return c.op(OpName.RESHAPE, c.op(OpName.NON_ZERO, flat), c.longs(-1));
    }

    private static Value tokens(Composer c, Value packed, Value offsets) {
        Value flat = c.cast(c.op(OpName.RESHAPE, offsets, c.longs(-1)), ElementType.INT64);
        return c.op(OpName.SLICE, flat, c.longs(0), c.extents(packed, 0, 1));
    }

    /** The batch with zeros where it is filled up. */
    static Value restored(Composer c, Value packed, Value offsets) {
        Value width = c.extents(packed, 1, 2);
        Value zero = c.op(OpName.CAST_LIKE, c.scalar(ElementType.FLOAT, 0), packed);
        Value empty = c.op(
                OpName.EXPAND, zero, c.concat(0, c.op(OpName.RESHAPE, c.op(OpName.SIZE, offsets), c.longs(1)), width));
        Value places = c.op(OpName.UNSQUEEZE, tokens(c, packed, offsets), c.longs(1));
        Value rows = c.op(OpName.SCATTER_ND, empty, places, packed);
        return c.op(OpName.RESHAPE, rows, c.concat(0, c.op(OpName.SHAPE, offsets), width));
    }

    private static void attention(Composer c) {
        Value together = c.op(OpName.ADD, c.op(OpName.MATMUL, c.input(0), c.input(1)), c.input(2));
        attend(c, AttentionLowerings.parts(c, together), null, 3);
    }

    private static void multiHead(Composer c) {
        attend(c, c.has(1) ? List.of(c.input(0), c.input(1), c.input(2)) : threeFold(c), c.find(3), 4);
    }

    /** Queries, keys and values that lie by head. */
    private static List<Value> threeFold(Composer c) {
        c.refuse(c.rank(0) != 4, "queries of " + c.rank(0) + " axes without keys");
        NodeSpec split =
                c.onnx(OpName.SPLIT, c.input(0)).with("axis", Attribute.of(2)).with("num_outputs", Attribute.of(3));
        return c.add(split, 3).stream()
                .map(part -> c.op(OpName.RESHAPE, part, c.longs(0, -1)))
                .toList();
    }

    /** @param offsets the input of offsets; those of the texts' ends and of a bias of scores are behind it */
    private static void attend(Composer c, List<Value> parts, @Nullable Value bias, int offsets) {
        Value queries = parts.getFirst();
        Value ends = c.cast(c.input(offsets + 1), ElementType.INT64);
        Value counts = c.op(
                OpName.SUB,
                c.op(OpName.SLICE, ends, c.longs(1), c.longs(Long.MAX_VALUE)),
                c.op(OpName.SLICE, ends, c.longs(0), c.longs(-1)));
        Value there = there(c, c.extents(c.input(offsets), 1, 2), counts);
        NodeSpec spec = c.contributed(
                OpName.MULTI_HEAD_ATTENTION,
                restored(c, queries, c.input(offsets)),
                restored(c, parts.get(1), c.input(offsets)),
                restored(c, parts.get(2), c.input(offsets)),
                bias,
                c.cast(there, ElementType.INT32),
                c.find(offsets + 2));
        for (String name : List.of("num_heads", "mask_filter_value", "scale")) {
            Attribute value = c.attributes().find(name);
            spec = value == null ? spec : spec.with(name, value);
        }
        Value rows = c.op(OpName.RESHAPE, c.add(spec), c.concat(0, c.longs(-1), c.extents(parts.get(2), 1, 2)));
        c.result(c.op(OpName.GATHER, rows, tokens(c, queries, c.input(offsets))));
    }
}
