package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;

/** Lowers MatMulBnb4: weights are indices into a table of 16 numbers, two in a byte, in blocks with a scale each. */
final class BlockLowering {
    /**
     * The values of 4-bit floats with a sign, two bits of exponent and one of mantissa, as fractions of the largest.
     */
    private static final double[] FP4 = {
        0, 1 / 192.0, 8 / 12.0, 1, 4 / 12.0, 6 / 12.0, 2 / 12.0, 3 / 12.0, //
        0, -1 / 192.0, -8 / 12.0, -1, -4 / 12.0, -6 / 12.0, -2 / 12.0, -3 / 12.0
    };

    /**
     * The values of 4-bit NormalFloat (NF4; Dettmers et al., QLoRA, 2023), which divide normally distributed numbers
     * into 16 groups of equal count.
     */
    private static final double[] NF4 = {
        -1,
        -0.6961928009986877,
        -0.5250730514526367,
        -0.39491748809814453,
        -0.28444138169288635,
        -0.18477343022823334,
        -0.09105003625154495,
        0,
        0.07958029955625534,
        0.16093020141124725,
        0.24611230194568634,
        0.33791524171829224,
        0.44070982933044434,
        0.5626170039176941,
        0.7229568362236023,
        1
    };

    private BlockLowering() {}

    static void write(Composer c) {
        long inner = c.attributes().integer("K");
        long columns = c.attributes().integer("N");
        long block = c.attributes().integer("block_size");
        long kind = c.attributes().integer("quant_type");
        c.refuse(kind != 0 && kind != 1, "quant_type " + kind);
        c.refuse(
                Math.max(inner, columns) > Integer.MAX_VALUE || inner < 1 || columns < 1 || block < 2 || block % 2 != 0,
                "blocks of " + block + " of " + columns + " by " + inner + " weights");
        long count = inner * columns;
        long blocks = Math.ceilDiv(count, block);
        Value bytes = c.op(
                OpName.SLICE,
                c.op(OpName.RESHAPE, c.input(1), c.longs(-1)),
                c.longs(0),
                c.longs(Math.ceilDiv(count, 2)));
        Value filled = c.op(OpName.PAD, bytes, c.longs(0, blocks * block / 2 - Math.ceilDiv(count, 2)));
        Value places = c.concat(1, half(c, filled, 4), half(c, filled, 0));
        Value table = c.reals(c.element(0), Shape.of(16), kind == 0 ? FP4 : NF4);
        Value parts = c.op(OpName.RESHAPE, c.op(OpName.GATHER, table, places), c.longs(blocks, block));
        Value scales = c.op(
                OpName.UNSQUEEZE,
                c.op(OpName.SLICE, c.op(OpName.RESHAPE, c.input(2), c.longs(-1)), c.longs(0), c.longs(blocks)),
                c.longs(1));
        Value flat = c.op(OpName.RESHAPE, c.op(OpName.MUL, parts, scales), c.longs(-1));
        Value weights =
                c.op(OpName.RESHAPE, c.op(OpName.SLICE, flat, c.longs(0), c.longs(count)), c.longs(columns, inner));
        boolean turned = c.attributes().flag("transB", true);
        c.result(c.op(OpName.MATMUL, c.input(0), turned ? c.transpose(weights, 1, 0) : weights));
    }

    /** Returns the four bits of each byte that begin at bit {@code from}, as a column. */
    static Value half(Composer c, Value bytes, int from) {
        Value low = c.op(
                OpName.MOD,
                c.op(OpName.DIV, c.cast(bytes, ElementType.INT32), c.scalar(ElementType.INT32, 1 << from)),
                c.scalar(ElementType.INT32, 16));
        return c.op(OpName.UNSQUEEZE, low, c.longs(1));
    }
}
