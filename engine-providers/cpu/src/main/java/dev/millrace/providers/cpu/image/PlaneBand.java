package dev.millrace.providers.cpu.image;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.pool.Scratch;

/**
 * A band of a plane as an array: some columns, and as many rows at a time as the memory limit allows. Doubles are kept
 * as such, all other elements as floats. One instance serves planes of one size.
 */
final class PlaneBand {
    private static final int MOST_PIXELS = 1 << 16;

    private final boolean isWide;
    private final float[] floats;
    private final double[] doubles;
    private final int width;
    private final int firstRow;
    private final int endRow;
    private final int firstColumn;
    private final int columns;
    /** The distance from one row of the array to the next. */
    private final int stride;
    /** The number of rows in the array. */
    private final int most;

    private int first;
    private int end;

    /**
     * @param slot the scratch slot of the floats or doubles that pixels are read into
     * @param width the width of a plane
     */
    PlaneBand(
            Scratch scratch,
            int slot,
            ElementType type,
            int width,
            int firstRow,
            int endRow,
            int firstColumn,
            int endColumn) {
        this.width = width;
        this.firstRow = firstRow;
        this.endRow = endRow;
        this.firstColumn = firstColumn;
        columns = endColumn - firstColumn;
        // few columns are read row by row
        stride = columns < width / 8 ? columns : width;
        most = Math.min(endRow - firstRow, Math.max(2, MOST_PIXELS / Math.max(1, stride)));
        int pixels = Math.multiplyExact(most, stride);
        isWide = type == ElementType.DOUBLE;
        floats = scratch.floats(slot, isWide ? 0 : pixels);
        doubles = scratch.doubles(slot, isWide ? pixels : 0);
    }

    int columns() {
        return columns;
    }

    /** Discards the rows that were read, before another plane. */
    void clear() {
        end = first;
    }

    /**
     * Reads rows where necessary, so that two rows are in the array: {@code lower} is {@code upper} or the next row.
     */
    void require(Plane plane, int upper, int lower) {
        if (upper >= first && lower < end) {
            return;
        }
        first = Math.max(firstRow, Math.min(upper, endRow - most));
        end = first + most;
        long from = plane.first() + (long) first * width + firstColumn;
        if (stride == width) {
            read(plane, from, 0, (most - 1) * stride + columns);
            return;
        }
        for (int row = 0; row < most; row++) {
            read(plane, from + (long) row * width, row * stride, columns);
        }
    }

    private void read(Plane plane, long from, int at, int count) {
        if (isWide) {
            Elements.read(plane.type(), plane.data(), from, doubles, at, count);
        } else {
            Elements.read(plane.type(), plane.data(), from, floats, at, count);
        }
    }

    /** Returns a pixel of a row that is in the array. */
    double at(int row, int column) {
        int at = (row - first) * stride + column - firstColumn;
        return isWide ? doubles[at] : floats[at];
    }

    /**
     * Computes weighted sums of two rows that are in the array, one for each column.
     *
     * @param adds whether they are added to the previous sums
     */
    void add(int upper, double near, int lower, double far, double[] sums, boolean adds) {
        int above = (upper - first) * stride;
        int below = (lower - first) * stride;
        for (int x = 0; x < columns && isWide; x++) {
            sums[x] = (adds ? sums[x] : 0) + near * doubles[above + x] + far * doubles[below + x];
        }
        for (int x = 0; x < columns && !isWide; x++) {
            sums[x] = (adds ? sums[x] : 0) + near * floats[above + x] + far * floats[below + x];
        }
    }
}
