package dev.millrace.providers.cpu.image;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/** Cells of a region that are pooled together, plane by plane. The first four slots of a scratch are those of its taps. */
final class RoiTile {
    private final AxisTaps rows;
    private final AxisTaps columns;
    private final PlaneBand band;
    private final double[] sums;
    private final double[] cells;
    private final int firstColumn;

    RoiTile(Scratch scratch, AxisTaps rows, AxisTaps columns, ElementType type, int width) {
        this.rows = rows;
        this.columns = columns;
        firstColumn = Math.min(columns.firstPixel(), columns.endPixel());
        int firstRow = Math.min(rows.firstPixel(), rows.endPixel());
        band = new PlaneBand(scratch, 4, type, width, firstRow, rows.endPixel(), firstColumn, columns.endPixel());
        sums = scratch.doubles(5, band.columns());
        cells = scratch.doubles(6, rows.cells() * columns.cells());
    }

    /** The cells of a plane, row by row; they stay until the next call. */
    double[] pool(LaunchContext run, Plane plane, boolean average) {
        band.clear();
        for (int row = 0; row < rows.cells(); row++) {
            if (average) {
                average(run, plane, row);
            } else {
                largest(run, plane, row);
            }
        }
        return cells;
    }

    /** First the sum of the samples down a cell for each column of pixels, then that of the samples across. */
    private void average(LaunchContext run, Plane plane, int row) {
        int first = rows.first(row);
        run.checkCancelled();
        if (rows.inside(row) == 0) {
            Arrays.fill(cells, row * columns.cells(), (row + 1) * columns.cells(), 0);
            return;
        }
        for (int i = first; i < rows.ends()[row]; i++) {
            run.checkCancelled(i);
            int upper = rows.before()[i];
            int lower = rows.after()[i];
            band.require(plane, upper, lower);
            band.add(upper, rows.nears()[i], lower, rows.fars()[i], sums, i > first);
        }
        double share = 1 / Math.max(1, (double) rows.samples() * columns.samples());
        int[] before = columns.before();
        int[] after = columns.after();
        double[] nears = columns.nears();
        double[] fars = columns.fars();
        int[] ends = columns.ends();
        int at = row * columns.cells();
        int i = 0;
        for (int column = 0; column < columns.cells(); column++) {
            double sum = 0;
            for (int end = ends[column]; i < end; i++) {
                sum += nears[i] * sums[before[i] - firstColumn] + fars[i] * sums[after[i] - firstColumn];
            }
            cells[at + column] = sum * share;
        }
    }

    /** The largest of all weighted pixels; a sample outside is 0. */
    private void largest(LaunchContext run, Plane plane, int row) {
        for (int column = 0; column < columns.cells(); column++) {
            int down = rows.inside(row);
            int across = columns.inside(column);
            boolean isInside = down == rows.samples() && across == columns.samples() && down > 0 && across > 0;
            double largest = isInside ? Double.NEGATIVE_INFINITY : 0;
            for (int i = rows.first(row); i < rows.ends()[row]; i++) {
                run.checkCancelled();
                band.require(plane, rows.before()[i], rows.after()[i]);
                largest = Math.max(largest, largest(i, column));
            }
            cells[row * columns.cells() + column] = largest;
        }
    }

    private double largest(int rowSample, int column) {
        int upper = rows.before()[rowSample];
        int lower = rows.after()[rowSample];
        double near = rows.nears()[rowSample];
        double far = rows.fars()[rowSample];
        double largest = Double.NEGATIVE_INFINITY;
        for (int i = columns.first(column); i < columns.ends()[column]; i++) {
            int left = columns.before()[i];
            int right = columns.after()[i];
            double before = columns.nears()[i];
            double after = columns.fars()[i];
            double above = Math.max(near * before * band.at(upper, left), near * after * band.at(upper, right));
            double below = Math.max(far * before * band.at(lower, left), far * after * band.at(lower, right));
            largest = Math.max(largest, Math.max(above, below));
        }
        return largest;
    }
}
