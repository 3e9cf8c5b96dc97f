package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import org.jspecify.annotations.Nullable;

/**
 * Lowers products with block-quantised weights: several products of one normalised input, or weights of 4-bit and 8-bit
 * floats.
 */
final class BlockProductLowerings {
    /** The values of 4-bit floats of format E2M1: a sign, two bits of exponent and one of mantissa. */
    private static final double[] E2M1 = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6};

    /** The first opset of BitCast. */
    private static final int BIT_CAST = 26;

    /** The first opset of RMSNormalization. */
    private static final int RMS = 23;

    private BlockProductLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "MatMulNBitsMlp" -> BlockProductLowerings::gated;
            case "MatMulNBitsQkv" -> BlockProductLowerings::projections;
            case "MatMulBlockQuantizedFp4Weight" -> BlockProductLowerings::fourBits;
            case "MatMulBlockQuantizedFp8Weight" -> BlockProductLowerings::eightBits;
            default -> null;
        };
    }

    private static void gated(Composer c) {
        String activation = c.attributes().text("activation", "");
        c.refuse(!activation.equals("silu"), "activation '" + activation + "'");
        Value x = normed(c, 1);
        Value gate = product(c, x, 3, "N");
        Value swish = c.op(OpName.MUL, gate, c.op(OpName.SIGMOID, gate));
        c.result(c.op(OpName.MUL, swish, product(c, x, 6, "N")));
    }

    private static void projections(Composer c) {
        Value x = normed(c, 3);
        c.result(0, product(c, x, 3, "Nq"));
        c.result(1, product(c, x, 6, "Nkv"));
        c.result(2, product(c, x, 9, "Nkv"));
    }

    /**
     * Returns the input, plus the skip where there is one, normalised where there is a scale. The sum before the norm
     * is output {@code sum}.
     */
    private static Value normed(Composer c, int sum) {
        c.refuse(c.has(1) && !c.has(2), "a skip without a norm");
        Value x = c.has(1) ? c.op(OpName.ADD, c.input(0), c.input(1)) : c.input(0);
        c.result(sum, x);
        return !c.has(2)
                ? x
                : c.add(c.onnx(OpName.RMS_NORMALIZATION, RMS, x, c.input(2))
                        .with("epsilon", Attribute.of(c.attributes().real("epsilon", 1e-5f))));
    }

    /** Writes MatMulNBits with the inputs from {@code first} on: weights, scales and an optional bias. */
    private static Value product(Composer c, Value x, int first, String columns) {
        Attributes attributes = Attributes.NONE
                .with("N", Attribute.of(c.attributes().integer(columns)))
                .with("bits", Attribute.of(c.attributes().integer("bits", 4)))
                .with("accuracy_level", Attribute.of(c.attributes().integer("accuracy_level", 0)));
        for (String name : new String[] {"K", "block_size"}) {
            attributes = attributes.with(name, Attribute.of(c.attributes().integer(name)));
        }
        return c.add(c.contributed(
                        OpName.MATMUL_N_BITS, x, c.input(first), c.input(first + 1), null, null, c.find(first + 2))
                .with(attributes));
    }

    /** Lowers products with weights of type E2M1, two in a byte; the scales are bytes of type FLOAT8E4M3FN. */
    private static void fourBits(Composer c) {
        Value bytes = c.op(OpName.RESHAPE, c.input(1), c.longs(-1));
        Value places = c.concat(1, BlockLowering.half(c, bytes, 0), BlockLowering.half(c, bytes, 4));
        Value parts = c.op(OpName.GATHER, c.reals(ElementType.FLOAT, Shape.of(16), E2M1), places);
        long columns = c.extent(1, 1) * 2;
        Value scales = c.add(
                c.onnx("BitCast", BIT_CAST, c.input(2)).with("to", Attribute.of(ElementType.FLOAT8E4M3FN.code())));
        Value scale = c.op(OpName.MUL, c.cast(scales, ElementType.FLOAT), c.op(OpName.RESHAPE, c.input(3), c.longs()));
        Value weights = c.op(OpName.RESHAPE, parts, c.longs(-1, columns));
        c.result(turned(c, c.input(0), weights, scale, 16, columns, 5));
    }

    /**
     * Lowers products with 8-bit float weights. With input 3 the other factor is first rounded to FLOAT8E4M3FN with
     * that scale.
     */
    private static void eightBits(Composer c) {
        Value x = c.input(0);
        if (c.has(3)) {
            Value scale = c.op(OpName.RESHAPE, c.input(3), c.longs());
            Value parts = c.cast(c.op(OpName.DIV, c.cast(x, ElementType.FLOAT), scale), ElementType.FLOAT8E4M3FN);
            x = c.op(OpName.CAST_LIKE, c.op(OpName.MUL, c.cast(parts, ElementType.FLOAT), scale), x);
        }
        Value weights = c.cast(c.input(1), ElementType.FLOAT);
        c.result(turned(c, x, weights, c.input(2), 128, c.extent(1, 1), 4));
    }

    /**
     * Multiplies {@code x} with the transposed weights, of which each block of columns in a row has a scale, and adds
     * the bias.
     */
    private static Value turned(Composer c, Value x, Value weights, Value scales, long usual, long columns, int bias) {
        long block = c.attributes().integer("block_size", usual);
        c.refuse(block < 1, "blocks of " + block + " weights");
        Value each = c.op(OpName.EXPAND, c.op(OpName.UNSQUEEZE, scales, c.longs(2)), c.longs(1, 1, block));
        Value all = c.op(OpName.RESHAPE, each, c.longs(0, -1));
        Value ofWeights = c.op(OpName.SLICE, all, c.longs(0), c.longs(columns), c.longs(1));
        Value matrix = c.op(OpName.CAST_LIKE, c.op(OpName.MUL, weights, ofWeights), x);
        Value product = c.op(OpName.MATMUL, x, c.transpose(matrix, 1, 0));
        return c.has(bias) ? c.op(OpName.ADD, product, c.input(bias)) : product;
    }
}
