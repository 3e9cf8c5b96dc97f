package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;

/**
 * MatMulFpQ4: weights column after column in blocks of 32, each with its scale as the four bytes of a float, where there is
 * one its zero point as a byte, and 16 bytes whose lower halves are the first 16 weights.
 */
final class PackedBlockLowering {
    private static final int SCALE_BYTES = 4;
    private static final int DATA_BYTES = 16;
    private static final int MIDDLE = 8;
    private static final int BIT_CAST_OPSET = 26;

    private PackedBlockLowering() {}

    static void write(Composer c) {
        boolean zeroPoints = c.attributes().integer("blk_quant_type", 1) != 0;
        int data = SCALE_BYTES + (zeroPoints ? 1 : 0);
        Value inner = c.op(OpName.SLICE, c.input(2), c.longs(0), c.longs(1));
        Value columns = c.op(OpName.SLICE, c.input(2), c.longs(1), c.longs(2));
        Value blocks = c.op(OpName.RESHAPE, c.input(1), c.concat(0, columns, c.longs(-1), c.longs(data + DATA_BYTES)));
        Value zero = zeroPoints
                ? c.cast(bytes(c, blocks, SCALE_BYTES, data), ElementType.FLOAT)
                : c.scalar(ElementType.FLOAT, MIDDLE);
        Value pairs = c.cast(bytes(c, blocks, data, data + DATA_BYTES), ElementType.INT32);
        Value base = c.scalar(ElementType.INT32, 16);
        Value numbers =
                c.cast(c.concat(2, c.op(OpName.MOD, pairs, base), c.op(OpName.DIV, pairs, base)), ElementType.FLOAT);
        Value weights = c.op(OpName.MUL, c.op(OpName.SUB, numbers, zero), scales(c, blocks));
        Value rows = c.op(OpName.SLICE, c.op(OpName.RESHAPE, weights, c.longs(0, -1)), c.longs(0), inner, c.longs(1));
        c.result(c.op(OpName.MATMUL, c.input(0), c.transpose(rows, 1, 0)));
    }

    private static Value bytes(Composer c, Value blocks, long from, long to) {
        return c.op(OpName.SLICE, blocks, c.longs(from), c.longs(to), c.longs(2));
    }

    private static Value scales(Composer c, Value blocks) {
        Value bytes = c.cast(bytes(c, blocks, 0, SCALE_BYTES), ElementType.UINT32);
        Value places = c.reals(ElementType.UINT32, Shape.of(SCALE_BYTES), 1, 1 << 8, 1 << 16, 1 << 24);
        Value bits = c.op(OpName.REDUCE_SUM, c.op(OpName.MUL, bytes, places), c.longs(2));
        return c.add(c.onnx("BitCast", BIT_CAST_OPSET, bits).with("to", Attribute.of(ElementType.FLOAT.code())));
    }
}
