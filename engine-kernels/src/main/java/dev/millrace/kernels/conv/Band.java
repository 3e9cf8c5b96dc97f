package dev.millrace.kernels.conv;

import dev.millrace.kernels.call.WorkSplit;
import dev.millrace.kernels.image.Axis;
import java.util.ArrayList;
import java.util.List;

/** A rectangle of one output plane: some rows, or some pixels of a single row. */
record Band(int plane, int firstRow, int endRow, int firstColumn, int endColumn) {
    /** Input bytes that a band reads, so that they stay in the second-level cache. */
    static final long BYTES = 64 << 10;

    /** The unit in pixels by which a single row is cut into bands: a multiple of all tile widths up to 6. */
    private static final int PIXELS = 60;

    /** Whether all taps of the windows lie inside of the image, except those beyond the ends of whole rows. */
    boolean seesAll(ConvShape shape) {
        boolean wholeRows = firstColumn == 0 && endColumn == shape.width().out();
        return shape.depth().out() == 1
                && shape.height().isInside(firstRow, endRow)
                && (wholeRows || shape.width().isInside(firstColumn, endColumn));
    }

    int rows() {
        return endRow - firstRow;
    }

    int columns() {
        return endColumn - firstColumn;
    }

    /**
     * Returns the bands of all output planes, in order.
     *
     * @param columnBytes bytes of one input column of one row, over all channels
     * @param groups the number of groups into which the output channels of a band are cut
     * @param threads the number of threads for which the bands are cut
     */
    static List<Band> all(ConvShape shape, long columnBytes, int groups, int threads) {
        Axis height = shape.height();
        Axis width = shape.width();
        long rowBytes = width.in() * columnBytes;
        List<Band> bands = new ArrayList<>();
        for (int plane = 0; plane < shape.depth().out(); plane++) {
            if (height.out() == 1) {
                long pixels = Math.max(1, BYTES * width.out() / Math.max(1, rowBytes) / PIXELS);
                int each = (int) Math.min(width.out(), pixels * PIXELS);
                for (int column = 0; column < width.out(); column += each) {
                    bands.add(new Band(plane, 0, 1, column, Math.min(width.out(), column + each)));
                }
                continue;
            }
            int rows = (int) Math.clamp(BYTES / Math.max(1, rowBytes * height.stride()), 1, height.out());
            int parts = WorkSplit.of(height.out(), (height.out() + rows - 1) / rows, groups * units(shape), threads);
            for (int part = 0; part < parts; part++) {
                int first = (int) ((long) height.out() * part / parts);
                int end = (int) ((long) height.out() * (part + 1) / parts);
                bands.add(new Band(plane, first, end, 0, width.out()));
            }
        }
        return bands;
    }

    /** The number of planes, over all images of the batch. */
    private static int units(ConvShape shape) {
        return shape.batch() * shape.depth().out();
    }
}
