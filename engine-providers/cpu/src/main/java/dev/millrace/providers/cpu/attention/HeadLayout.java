package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;

/**
 * The layout of the rows of heads in a tensor.
 *
 * @param size the number of elements of a row
 * @param first the first row, counted in rows like the following distances
 * @param perBatch the distance from one entry of the batch to the next
 * @param perHead the distance from one head to the next
 * @param perStep the distance from one step to the next
 */
record HeadLayout(int batch, int heads, int steps, int size, long first, long perBatch, long perHead, long perStep) {

    /**
     * Returns the layout of {@code [batch, heads, steps, size]}, or of {@code [batch, steps, heads * size]} where there
     * are three axes.
     */
    static HeadLayout of(Shape shape, long heads) {
        if (shape.rank() == 4) {
            int batch = extent(shape, 0);
            return of(batch, extent(shape, 1), extent(shape, 2), extent(shape, 3));
        }
        if (shape.rank() != 3 || heads < 1 || shape.dim(2) % heads != 0) {
            throw EngineException.invalidArgument(
                    "shape " + shape + " does not hold " + heads + " heads; three or four axes are expected");
        }
        int size = ArrayExtents.toInt("elements of a head", shape.dim(2) / heads);
        return sideBySide(extent(shape, 0), extent(shape, 1), size, (int) heads, 0, heads);
    }

    private static HeadLayout of(int batch, int heads, int steps, int size) {
        return new HeadLayout(batch, heads, steps, size, 0, (long) heads * steps, steps, 1);
    }

    /** Returns the layout of one of several interleaved operands: {@code [batch, steps, heads, operands, size]}. */
    static HeadLayout interleaved(Shape shape, int operand) {
        int heads = extent(shape, 2);
        long operands = shape.dim(3);
        int steps = extent(shape, 1);
        long perStep = heads * operands;
        return new HeadLayout(
                extent(shape, 0), heads, steps, extent(shape, 4), operand, steps * perStep, operands, perStep);
    }

    /** Returns the layout of some of the heads that are contiguous at each step, from head {@code first} on. */
    static HeadLayout sideBySide(int batch, int steps, int size, int heads, long first, long all) {
        return new HeadLayout(batch, heads, steps, size, first, steps * all, 1, all);
    }

    private static int extent(Shape shape, int axis) {
        return ArrayExtents.toInt("heads, steps or elements", shape.dim(axis));
    }

    /** Returns the index of the first element of a row. */
    long row(long b, long head, long step) {
        return row(b, head, step, size);
    }

    /** Returns the index of the first element of a row in a tensor that differs only in the size of its rows. */
    long row(long b, long head, long step, long rowSize) {
        return (first + b * perBatch + head * perHead + step * perStep) * rowSize;
    }
}
