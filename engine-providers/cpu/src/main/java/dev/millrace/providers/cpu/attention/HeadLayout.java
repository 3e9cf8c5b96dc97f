package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.Extents;

/**
 * Where the rows of a tensor of heads lie: {@code [batch, heads, steps, size]}, or {@code [batch, steps, heads * size]}
 * where it has three axes.
 */
record HeadLayout(int batch, int heads, int steps, int size, boolean packed) {

    static HeadLayout of(Shape shape, long heads) {
        if (shape.rank() == 4) {
            return new HeadLayout(extent(shape, 0), extent(shape, 1), extent(shape, 2), extent(shape, 3), false);
        }
        if (shape.rank() != 3 || heads < 1 || shape.dim(2) % heads != 0) {
            throw EngineException.invalidGraph(
                    "shape " + shape + " does not hold " + heads + " heads; three or four axes are expected");
        }
        int size = Extents.toInt("elements of a head", shape.dim(2) / heads);
        return new HeadLayout(extent(shape, 0), (int) heads, extent(shape, 1), size, true);
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
        return (packed ? (b * steps + step) * heads + head : (b * heads + head) * steps + step) * rowSize;
    }
}
