package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.OutputViews;
import org.jspecify.annotations.Nullable;

/**
 * Elements that share scales in blocks along an axis. That axis is split in two, so that a scale belongs to all indices
 * of the second.
 *
 * @param split the shape of the elements
 * @param scales the shape of their scales
 */
record ScaleBlocks(Shape split, Shape scales) {
    /**
     * Returns the blocks of a QuantizeLinear or a DequantizeLinear; null where it has none, or the last block is not
     * full.
     */
    static @Nullable ScaleBlocks of(LoweringContext op) {
        Shape shape = op.in(0).shape();
        Shape scales = op.in(1).shape();
        long block = op.attributes().integer("block_size", 0);
        if (block < 1 || shape.rank() == 0 || scales.rank() != shape.rank()) {
            return null;
        }
        int axis = Shape.axis(op.attributes().integer("axis", 1), shape.rank());
        long blocks = scales.dim(axis);
        if (blocks * block != shape.dim(axis)
                || !scales.with(axis, shape.dim(axis)).equals(shape)) {
            return null;
        }
        return new ScaleBlocks(apart(shape, axis, blocks, block), apart(scales, axis, blocks, 1));
    }

    private static Shape apart(Shape shape, int axis, long blocks, long block) {
        long[] dims = new long[shape.rank() + 1];
        for (int i = 0; i < shape.rank(); i++) {
            dims[i <= axis ? i : i + 1] = shape.dim(i);
        }
        dims[axis] = blocks;
        dims[axis + 1] = block;
        return Shape.of(dims);
    }

    /** Returns a value of a node with another shape. */
    static ValueState reshaped(LoweringContext op, ValueState cell, Shape shape) {
        return OutputViews.of(op.lowering(), op.out(), op.lowering().dense(cell), shape);
    }
}
