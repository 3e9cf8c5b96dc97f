package dev.millrace.providers.cpu.product;

import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * A batch of products of an m × k by a k × n matrix of floats, in blocks. Where the operands come from and what becomes
 * of a finished block of a row are the caller's.
 *
 * <p>While it runs it uses the float slots 0 and 1 and the row slots 0 and 1 of {@link Scratch}; the others are free
 * for its operands and results.
 */
public final class Product implements Launch, RangeTask {
    static final int ROWS = 64;
    static final int DEPTH = 64;
    static final int COLUMNS = 256;

    private static final int LEFT = 0;
    private static final int SUMS = 0;
    private static final int PANEL = 1;

    private final long batches;
    private final int m;
    private final int k;
    private final int n;
    private final Left left;
    private final Right right;
    private final Finish finish;
    private final int rowBlocks;
    private final int columnBlocks;
    private final int columns;
    private final long grain;

    /** Gives a block of the left operand. */
    @FunctionalInterface
    public interface Left {
        /** Writes {@code rows × depth} elements to rows of {@code stride} in {@code to}. */
        void read(
                LaunchContext launch,
                long batch,
                int row,
                int rows,
                int at,
                int depth,
                float[] to,
                int stride,
                Scratch scratch);
    }

    /** Gives a block of the right operand. */
    @FunctionalInterface
    public interface Right {
        /** Writes {@code depth} rows from {@code at} on, {@code columns} of each, to as many arrays. */
        void read(
                LaunchContext launch,
                long batch,
                int at,
                int depth,
                int column,
                int columns,
                float[][] to,
                Scratch scratch);
    }

    /** Takes a finished block of one row. */
    @FunctionalInterface
    public interface Finish {
        void write(LaunchContext launch, long batch, int row, int column, int columns, float[] sums, Scratch scratch);
    }

    public Product(long batches, int m, int k, int n, int threads, Left left, Right right, Finish finish) {
        this.batches = batches;
        this.m = m;
        this.k = k;
        this.n = n;
        this.left = left;
        this.right = right;
        this.finish = finish;
        this.rowBlocks = Math.ceilDiv(m, ROWS);
        boolean wide = batches * rowBlocks * Math.ceilDiv(n, COLUMNS) >= threads || n <= COLUMNS / 2;
        this.columns = wide ? COLUMNS : COLUMNS / 2;
        this.columnBlocks = Math.ceilDiv(n, columns);
        long work = 2L * Math.min(m, ROWS) * Math.max(1, k) * Math.min(n, columns);
        this.grain = Math.max(1, 200_000 / Math.max(1, work));
    }

    @Override
    public void run(LaunchContext launch) {
        launch.parallelFor(batches * rowBlocks * columnBlocks, grain, this);
    }

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        for (long item = from; item < to; item++) {
            launch.checkCancelled();
            int row = (int) (item % rowBlocks) * ROWS;
            long rest = item / rowBlocks;
            int column = (int) (rest % columnBlocks) * columns;
            block(launch, rest / columnBlocks, row, column, scratch);
        }
    }

    private void block(LaunchContext launch, long batch, int row, int column, Scratch scratch) {
        int height = Math.min(ROWS, m - row);
        int width = Math.min(columns, n - column);
        float[][] sums = scratch.rows(SUMS, ROWS, COLUMNS);
        float[][] panel = scratch.rows(PANEL, DEPTH, COLUMNS);
        float[] block = scratch.floats(LEFT, ROWS * DEPTH);
        for (int r = 0; r < height; r++) {
            Arrays.fill(sums[r], 0, width, 0f);
        }
        for (int at = 0; at < k; at += DEPTH) {
            launch.checkCancelled();
            int depth = Math.min(DEPTH, k - at);
            left.read(launch, batch, row, height, at, depth, block, DEPTH, scratch);
            right.read(launch, batch, at, depth, column, width, panel, scratch);
            int padded = (depth + 3) & ~3;
            for (int p = depth; p < padded; p++) {
                Arrays.fill(panel[p], 0, width, 0f);
                for (int r = 0; r < height; r++) {
                    block[r * DEPTH + p] = 0f;
                }
            }
            RowKernels.accumulate(sums, height, block, DEPTH, panel, padded, width);
        }
        for (int r = 0; r < height; r++) {
            finish.write(launch, batch, row + r, column, width, sums[r], scratch);
        }
    }
}
