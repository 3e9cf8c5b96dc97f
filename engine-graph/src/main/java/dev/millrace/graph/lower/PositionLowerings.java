package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lowers the operators that encode the positions of tokens for attention. */
final class PositionLowerings {
    private PositionLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "RelativePositionBias" -> PositionLowerings::relative;
            case "GatedRelativePositionBias" -> PositionLowerings::gated;
            case "GemmaRotaryEmbedding" -> PositionLowerings::gemma;
            case "MRotaryEmbedding" -> MultimodalRotaryLowering::write;
            default -> null;
        };
    }

    private static Value number(Composer c, double value) {
        return c.scalar(ElementType.FLOAT, value);
    }

    /**
     * Lowers RelativePositionBias: a table row for each bucket of distances between key and query, as in T5 (Raffel et
     * al., 2020). Short distances have a bucket each, longer ones share buckets of logarithmic width.
     */
    private static void relative(Composer c) {
        long all = c.extent(0, 0);
        long heads = c.extent(0, 1);
        boolean both = c.attributes().flag("is_bidirectional", false);
        long farthest = c.attributes().integer("max_distance");
        long buckets = both ? all / 2 : all;
        long near = buckets / 2;
        c.refuse(near < 1 || farthest <= near, all + " distances up to " + farthest);
        Value apart = c.cast(c.op(OpName.SUB, places(c, 2, 0), places(c, 1, 1)), ElementType.FLOAT);
        Value ahead = c.op(OpName.MAX, apart, number(c, 0));
        Value distance = both ? c.op(OpName.ABS, apart) : c.op(OpName.SUB, ahead, apart);
        Value far = c.op("Log", c.op(OpName.DIV, c.op(OpName.MAX, distance, number(c, 1)), number(c, near)));
        Value steps = c.op(
                OpName.MUL,
                c.op(OpName.DIV, far, number(c, Math.log((double) farthest / near))),
                number(c, buckets - near));
        Value shared =
                c.op(OpName.MIN, c.op(OpName.ADD, c.op("Floor", steps), number(c, near)), number(c, buckets - 1));
        Value bucket = c.op(OpName.WHERE, c.op(OpName.LESS, distance, number(c, near)), distance, shared);
        if (both) {
            bucket = c.op(OpName.ADD, bucket, c.op(OpName.MUL, c.op("Sign", ahead), number(c, buckets)));
        }
        Value table = c.op(OpName.RESHAPE, c.input(0), c.longs(1, heads, all));
        c.result(c.add(
                c.onnx(OpName.GATHER, table, c.cast(bucket, ElementType.INT64)).with("axis", Attribute.of(2))));
    }

    /** Returns the indices below the length in an input, as a row ({@code across} 0) or a column (1) of a matrix. */
    private static Value places(Composer c, int input, int across) {
        Value length = c.op(OpName.RESHAPE, c.input(input), c.longs());
        return c.op(OpName.UNSQUEEZE, c.op(OpName.RANGE, c.scalar(0), length, c.scalar(1)), c.longs(across));
    }

    /** Lowers GatedRelativePositionBias: a position bias, multiplied by gates that are computed from the queries. */
    private static void gated(Composer c) {
        long heads = c.attributes().integer("num_heads");
        long size = c.extent(3, 0);
        long width = c.extent(3, 1);
        Value queries = c.has(6) ? PackingLowerings.restored(c, c.input(0), c.input(6)) : c.input(0);
        Value byHead = c.op(OpName.RESHAPE, c.op(OpName.ADD, queries, c.input(1)), c.longs(0, 0, heads, size));
        Value product = c.op(OpName.ADD, c.op(OpName.MATMUL, c.transpose(byHead, 0, 2, 1, 3), c.input(3)), c.input(4));
        Value halves = c.op(OpName.RESHAPE, product, c.longs(0, 0, 0, 2, width / 2));
        Value sums = c.add(c.onnx(OpName.REDUCE_SUM, halves, c.longs(-1)).with("keepdims", Attribute.of(0)));
        List<Value> gates = c.split(c.op(OpName.SIGMOID, sums), 2);
        Value one = c.op(OpName.CAST_LIKE, number(c, 1), c.input(0));
        Value two = c.op(OpName.CAST_LIKE, number(c, 2), c.input(0));
        Value reset = c.op(OpName.SUB, c.op(OpName.MUL, gates.getLast(), c.input(5)), one);
        Value gate = c.op(OpName.ADD, c.op(OpName.MUL, gates.getFirst(), reset), two);
        c.result(c.op(OpName.MUL, gate, c.input(2)));
    }

    private static void gemma(Composer c) {
        for (int i = 0; i < 2; i++) {
            Value straight = c.op(OpName.MUL, c.input(2 * i + 1), wave(c, "Cos", 2 * i + 1));
            Value turned = c.op(OpName.MUL, c.input(2 * i + 2), wave(c, "Sin", 2 * i + 1));
            c.result(i, c.op(OpName.ADD, straight, turned));
        }
    }

    private static Value wave(Composer c, String op, int like) {
        return c.op(OpName.CAST_LIKE, c.op(OpName.UNSQUEEZE, c.op(op, c.input(0)), c.longs(1)), c.input(like));
    }
}
