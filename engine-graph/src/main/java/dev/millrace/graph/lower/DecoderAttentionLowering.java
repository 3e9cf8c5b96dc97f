package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;

/**
 * DecoderAttention: steps come first, then texts. Whether it looks at an encoder's steps or at its own, and whether a cache
 * takes part, are inputs: how much is taken of what there is follows from them.
 */
final class DecoderAttentionLowering {
    private static final int CACHE = 6;

    private final Composer c;
    private final Value looksAtEncoder;
    private final Value goesOn;

    private DecoderAttentionLowering(Composer c) {
        this.c = c;
        this.looksAtEncoder = flag(8);
        this.goesOn = c.op(OpName.AND, flag(9), flag(10));
    }

    static void write(Composer c) {
        new DecoderAttentionLowering(c).write();
    }

    private Value flag(int input) {
        return c.op(OpName.RESHAPE, c.input(input), c.longs(1));
    }

    private Value partIf(Value condition, Value whole, int axis) {
        Value end = c.op(OpName.WHERE, condition, c.longs(Long.MAX_VALUE), c.longs(0));
        return c.op(OpName.SLICE, whole, c.longs(0), end, c.longs(axis));
    }

    private Value byHead(Value steps) {
        Value split = c.op(OpName.RESHAPE, steps, c.longs(0, 0, c.attributes().integer("num_heads"), -1));
        return c.transpose(split, 1, 2, 0, 3);
    }

    private void write() {
        Value ofQueries = c.op(OpName.SLICE, c.input(4), c.longs(0), width(), c.longs(0));
        Value ofOthers = c.op(OpName.SLICE, c.input(4), width(), c.longs(Long.MAX_VALUE), c.longs(0));
        Value queries = c.op(OpName.ADD, c.op(OpName.MATMUL, c.input(0), c.input(2)), ofQueries);
        Value encoders = partIf(c.op(OpName.AND, looksAtEncoder, c.op(OpName.NOT, goesOn)), c.input(1), 0);
        Value own = partIf(c.op(OpName.NOT, looksAtEncoder), c.input(0), 0);
        Value rows = c.op(OpName.MATMUL, c.concat(0, encoders, own), c.input(3));
        List<Value> parts = c.split(c.op(OpName.ADD, rows, ofOthers), 2);
        Value keys = behindCache(CACHE, byHead(parts.getFirst()));
        Value values = behindCache(CACHE + 1, byHead(parts.getLast()));
        NodeSpec spec = c.contributed(
                        OpName.MULTI_HEAD_ATTENTION,
                        c.transpose(queries, 1, 0, 2),
                        keys,
                        values,
                        null,
                        null,
                        bias(keys))
                .with("num_heads", Attribute.of(c.attributes().integer("num_heads")));
        c.result(c.transpose(c.add(spec), 1, 0, 2));
        c.result(1, keys);
        c.result(2, values);
    }

    private Value width() {
        return c.extents(c.input(0), 2, 3);
    }

    private Value behindCache(int input, Value steps) {
        return c.has(input) ? c.concat(2, partIf(goesOn, c.input(input), 2), steps) : steps;
    }

    /** Minus infinity for keys that the mask names, if it counts; it may have any shape where it does not. */
    private Value bias(Value keys) {
        Value texts = c.extents(keys, 0, 1);
        Value count = c.extents(keys, 2, 3);
        Value all = c.op(OpName.MUL, texts, count);
        Value mask = c.has(5) ? c.op(OpName.RESHAPE, c.input(5), c.longs(-1)) : flag(11);
        Value hidden = partIf(flag(11), mask, 0);
        Value rest = c.op(OpName.SUB, all, c.op(OpName.SHAPE, hidden));
        Value shown = c.op(OpName.EXPAND, c.cast(c.longs(0), ElementType.BOOL), rest);
        Value one = c.longs(1);
        Value byText = c.op(OpName.RESHAPE, c.concat(0, hidden, shown), c.concat(0, texts, one, one, count));
        Value bias = c.op(
                OpName.WHERE,
                byText,
                c.scalar(ElementType.FLOAT, Double.NEGATIVE_INFINITY),
                c.scalar(ElementType.FLOAT, 0));
        Value steps = c.extents(c.input(0), 0, 1);
        return c.op(OpName.CAST_LIKE, c.op(OpName.EXPAND, bias, c.concat(0, texts, one, steps, count)), keys);
    }
}
