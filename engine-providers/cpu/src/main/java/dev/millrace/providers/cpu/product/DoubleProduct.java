package dev.millrace.providers.cpu.product;

import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * Products of the matrices of doubles that are inputs 0 and 1. It uses the double row slots 0 to 2 of {@link Scratch};
 * the others are free for what is done with results.
 *
 * @param left how a matrix of input 0 lies
 * @param right how a matrix of input 1 lies
 */
record DoubleProduct(MatrixBatches shape, MatrixLayout left, MatrixLayout right, Finish finish)
        implements Launch, RangeTask {
    private static final int ROWS = 32;
    private static final int DEPTH = 64;
    private static final int COLUMNS = 256;
    /** Multiplications that are worth a task of their own. */
    private static final long WORTH = 100_000;

    private static final int SUMS = 0;
    private static final int FACTORS = 1;
    private static final int PANEL = 2;

    /** Takes a finished part of one row. */
    @FunctionalInterface
    interface Finish {
        void write(LaunchContext launch, long batch, int row, int column, int columns, double[] sums, Scratch scratch);
    }

    @Override
    public void run(LaunchContext launch) {
        long work = (long) Math.min(shape.rows(), ROWS) * shape.depth() * Math.min(shape.columns(), COLUMNS);
        long items = shape.batches() * rowBlocks() * Math.ceilDiv(shape.columns(), COLUMNS);
        launch.parallelFor(items, Math.max(1, WORTH / Math.max(1, work)), this);
    }

    private long rowBlocks() {
        return Math.ceilDiv(shape.rows(), ROWS);
    }

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        int columnBlocks = Math.ceilDiv(shape.columns(), COLUMNS);
        for (long item = from; item < to; item++) {
            int row = (int) (item % rowBlocks()) * ROWS;
            long rest = item / rowBlocks();
            block(launch, rest / columnBlocks, row, (int) (rest % columnBlocks) * COLUMNS, scratch);
        }
    }

    private void block(LaunchContext launch, long batch, int row, int column, Scratch scratch) {
        int height = Math.min(ROWS, shape.rows() - row);
        int width = Math.min(COLUMNS, shape.columns() - column);
        double[][] sums = scratch.doubleRows(SUMS, ROWS, COLUMNS);
        double[][] factors = scratch.doubleRows(FACTORS, ROWS, DEPTH);
        double[][] panel = scratch.doubleRows(PANEL, DEPTH, COLUMNS);
        long a = shape.left((int) batch);
        long b = shape.right((int) batch);
        for (int r = 0; r < height; r++) {
            Arrays.fill(sums[r], 0, width, 0);
        }
        for (int at = 0; at < shape.depth(); at += DEPTH) {
            launch.checkCancelled();
            int depth = Math.min(DEPTH, shape.depth() - at);
            int padded = DoubleRows.padded(depth);
            left.read(launch.input(0), a, row, height, at, depth, factors, scratch);
            right.read(launch.input(1), b, at, depth, column, width, panel, scratch);
            for (int k = depth; k < padded; k++) {
                Arrays.fill(panel[k], 0, width, 0);
            }
            for (int r = 0; r < height; r++) {
                Arrays.fill(factors[r], depth, padded, 0);
            }
            DoubleRows.accumulate(sums, height, factors, panel, padded, width);
        }
        for (int r = 0; r < height; r++) {
            finish.write(launch, batch, row + r, column, width, sums[r], scratch);
        }
    }
}
