package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.Extents;

/**
 * Where the rows of heads lie in a tensor.
 *
 * @param size elements of a row
 * @param first the first row, counted in rows like the distances that follow
 * @param perBatch from one entry of the batch to the next
 * @param perHead from head to head
 * @param perStep from step to step
 */
record HeadLayout(int batch, int heads, int steps, int size, long first, long perBatch, long perHead, long perStep) {

    /** {@code [batch, heads, steps, size]}, or {@code [batch, steps, heads * size]} where there are three axes. */
    static HeadLayout of(Shape shape, long heads) {
        if (shape.rank() == 4) {
            int batch = extent(shape, 0);
            return of(batch, extent(shape, 1), extent(shape, 2), extent(shape, 3));
        }
        if (shape.rank() != 3 || heads < 1 || shape.dim(2) % heads != 0) {
            throw EngineException.invalidArgument(
                    "shape " + shape + " does not hold " + heads + " heads; three or four axes are expected");
        }
        int size = Extents.toInt("elements of a head", shape.dim(2) / heads);
        return sideBySide(extent(shape, 0), extent(shape, 1), size, (int) heads, 0, heads);
    }

    private static HeadLayout of(int batch, int heads, int steps, int size) {
        return new HeadLayout(batch, heads, steps, size, 0, (long) heads * steps, steps, 1);
    }

    /** One of several operands that lie together: {@code [batch, steps, heads, operands, size]}. */
    static HeadLayout interleaved(Shape shape, int operand) {
        int heads = extent(shape, 2);
        long operands = shape.dim(3);
        int steps = extent(shape, 1);
        long perStep = heads * operands;
        return new HeadLayout(
                extent(shape, 0), heads, steps, extent(shape, 4), operand, steps * perStep, operands, perStep);
    }

    /** Some of the heads that lie side by side at each step, the first of them head {@code first}. */
    static HeadLayout sideBySide(int batch, int steps, int size, int heads, long first, long all) {
        return new HeadLayout(batch, heads, steps, size, first, steps * all, 1, all);
    }

    private static int extent(Shape shape, int axis) {
        return Extents.toInt("heads, steps or elements", shape.dim(axis));
    }

    /** The first element of a row. */
    long row(long b, long head, long step) {
        return row(b, head, step, size);
    }

    /** The same in a tensor that differs in the size of its rows only. */
    long row(long b, long head, long step, long rowSize) {
        return (first + b * perBatch + head * perHead + step * perStep) * rowSize;
    }
}
