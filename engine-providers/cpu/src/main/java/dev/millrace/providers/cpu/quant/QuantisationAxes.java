package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.tensor.Shape;

/**
 * Which scale belongs to which element: one for all, one for each slice of an axis, or one for each block of an axis.
 *
 * @param block elements of the axis that share a scale; 0 where there is one for all
 * @param blocked whether scales also differ outside the axis
 */
record QuantisationAxes(long extent, long inner, long block, boolean blocked) {

    static QuantisationAxes of(Shape shape, Shape scales, long axis, long blockSize) {
        if (scales.rank() == 0 || (scales.elements() == 1 && blockSize == 0)) {
            return new QuantisationAxes(1, 1, 0, false);
        }
        int at = Shape.axis(axis, shape.rank());
        long extent = shape.dim(at);
        long inner = shape.elements(at + 1, shape.rank());
        if (scales.rank() == 1 && blockSize == 0) {
            return new QuantisationAxes(extent, inner, 1, false);
        }
        long block = blockSize > 0 ? blockSize : Math.ceilDiv(extent, scales.dim(at));
        return new QuantisationAxes(extent, inner, block, true);
    }

    long scale(long element) {
        if (block == 0) {
            return 0;
        }
        long slice = element / inner;
        long at = slice % extent / block;
        return blocked ? (slice / extent * Math.ceilDiv(extent, block) + at) * inner + element % inner : at;
    }

    /** How many elements from {@code element} on have the same scale. */
    long run(long element) {
        return block == 0 ? Long.MAX_VALUE : blocked && inner > 1 ? 1 : inner - element % inner;
    }
}
