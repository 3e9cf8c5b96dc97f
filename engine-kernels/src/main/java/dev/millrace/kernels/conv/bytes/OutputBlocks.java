package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.conv.ConvShape;

/**
 * Outputs cut into blocks of nearly equal size whose pixels follow one another: whole planes, or whole lines of one
 * plane, or a part of a line.
 *
 * @param planes into how many parts all planes of all images are cut
 * @param rows into how many parts a plane is
 * @param columns into how many parts a line is
 */
record OutputBlocks(ConvShape shape, long planes, int rows, int columns) {
    /** One block; all pixels of it lie one after another. */
    record Block(long plane, int planes, int row, int rows, int column, int columns) {
        long pixels() {
            return (long) planes * rows * columns;
        }
    }

    /**
     * Blocks of at most so many pixels, or lines where those are longer.
     *
     * @param tasks which blocks can be shared out among evenly, if there are as many lines
     */
    static OutputBlocks of(ConvShape shape, long most, boolean wholePlanes, int tasks) {
        int height = shape.height().out();
        int width = shape.width().out();
        long all = (long) shape.batch() * shape.depth().out();
        long plane = (long) height * width;
        if (plane == 0 || all == 0) {
            return new OutputBlocks(shape, 0, 1, 1);
        }
        if (wholePlanes && 2 * plane <= most) {
            return new OutputBlocks(shape, evenly(Math.ceilDiv(all, most / plane), all, tasks), 1, 1);
        }
        if (width > most) {
            return new OutputBlocks(shape, all, height, Math.toIntExact(Math.ceilDiv(width, most)));
        }
        long rows = Math.ceilDiv(height, Math.max(1, most / width));
        return new OutputBlocks(shape, all, (int) (all == 1 ? evenly(rows, height, tasks) : rows), 1);
    }

    private static long evenly(long parts, long most, int tasks) {
        return Math.min(most, Math.ceilDiv(parts, tasks) * tasks);
    }

    long count() {
        return planes * rows * columns;
    }

    /** A block that is as long in each direction as the longest. */
    Block largest() {
        long all = (long) shape.batch() * shape.depth().out();
        return new Block(
                0,
                (int) Math.ceilDiv(all, Math.max(1, planes)),
                0,
                Math.ceilDiv(shape.height().out(), rows),
                0,
                Math.ceilDiv(shape.width().out(), columns));
    }

    Block block(long number) {
        long all = (long) shape.batch() * shape.depth().out();
        long ofPlanes = number / ((long) rows * columns);
        long row = number / columns % rows;
        long column = number % columns;
        long plane = all * ofPlanes / planes;
        int height = shape.height().out();
        int width = shape.width().out();
        int firstRow = (int) (height * row / rows);
        int firstColumn = (int) (width * column / columns);
        return new Block(
                plane,
                (int) (all * (ofPlanes + 1) / planes - plane),
                firstRow,
                (int) (height * (row + 1) / rows) - firstRow,
                firstColumn,
                (int) (width * (column + 1) / columns) - firstColumn);
    }

    long firstPixel(Block block) {
        int height = shape.height().out();
        int width = shape.width().out();
        return (block.plane() * height + block.row()) * width + block.column();
    }
}
