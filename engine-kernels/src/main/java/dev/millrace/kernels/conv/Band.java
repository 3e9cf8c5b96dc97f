package dev.millrace.kernels.conv;

import dev.millrace.kernels.call.Cuts;
import dev.millrace.kernels.image.Axis;
import java.util.ArrayList;
import java.util.List;

/** Some rows of an output plane, or some pixels of a row. */
record Band(int plane, int firstRow, int endRow, int firstColumn, int endColumn) {
    /** Of the input, what the second-level cache is to hold. */
    static final long BYTES = 64 << 10;

    /** Where a band is part of a row; a multiple of all widths of tiles up to 6. */
    private static final int PIXELS = 60;

    /** Whether the windows see all taps, or lack none but beyond the ends of whole rows. */
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
     * All bands of an output.
     *
     * @param columnBytes what one column of a row of the input takes, all channels of it
     * @param groups into which the output channels of a band are cut
     * @param threads for which the bands are cut
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
            int parts = Cuts.of(height.out(), (height.out() + rows - 1) / rows, groups * units(shape), threads);
            for (int part = 0; part < parts; part++) {
                int first = (int) ((long) height.out() * part / parts);
                int end = (int) ((long) height.out() * (part + 1) / parts);
                bands.add(new Band(plane, first, end, 0, width.out()));
            }
        }
        return bands;
    }

    /** How often the rows of a plane are done. */
    private static int units(ConvShape shape) {
        return shape.batch() * shape.depth().out();
    }
}
