package dev.millrace.providers.cpu.product;

import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * A batch of products of an m × k by a k × n matrix of small integers, summed in 32 bits. Operands arrive with their
 * zero points taken off. It uses the int slots 0 to 6 of {@link Scratch}.
 */
public final class IntegerProduct implements Launch, RangeTask {
    private static final int ROWS = 4;
    private static final int COLUMNS = 512;

    private final long batches;
    private final int m;
    private final int k;
    private final int n;
    private final Line left;
    private final Line right;
    private final Finish finish;

    /** Gives part of one row of an operand. */
    @FunctionalInterface
    public interface Line {
        void read(LaunchContext launch, long batch, int row, int column, int count, int[] to);
    }

    /** Takes part of one row of the result. */
    @FunctionalInterface
    public interface Finish {
        void write(LaunchContext launch, long batch, int row, int column, int count, int[] sums);
    }

    public IntegerProduct(long batches, int m, int k, int n, Line left, Line right, Finish finish) {
        this.batches = batches;
        this.m = m;
        this.k = k;
        this.n = n;
        this.left = left;
        this.right = right;
        this.finish = finish;
    }

    @Override
    public void run(LaunchContext launch) {
        launch.parallelFor(batches * Math.ceilDiv(m, ROWS), 1, this);
    }

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        int blocks = Math.ceilDiv(m, ROWS);
        for (long item = from; item < to; item++) {
            launch.checkCancelled();
            rows(launch, item / blocks, (int) (item % blocks) * ROWS, scratch);
        }
    }

    private void rows(LaunchContext launch, long batch, int row, Scratch scratch) {
        int height = Math.min(ROWS, m - row);
        int[] line = scratch.ints(ROWS, COLUMNS);
        int[] factors = scratch.ints(ROWS + 1, ROWS * k);
        int[] one = scratch.ints(ROWS + 2, k);
        for (int r = 0; r < height; r++) {
            left.read(launch, batch, row + r, 0, k, one);
            System.arraycopy(one, 0, factors, r * k, k);
        }
        for (int column = 0; column < n; column += COLUMNS) {
            int width = Math.min(COLUMNS, n - column);
            for (int r = 0; r < height; r++) {
                Arrays.fill(scratch.ints(r, COLUMNS), 0, width, 0);
            }
            launch.checkCancelled();
            for (int i = 0; i < k; i++) {
                right.read(launch, batch, i, column, width, line);
                for (int r = 0; r < height; r++) {
                    add(scratch.ints(r, COLUMNS), factors[r * k + i], line, width);
                }
            }
            for (int r = 0; r < height; r++) {
                finish.write(launch, batch, row + r, column, width, scratch.ints(r, COLUMNS));
            }
        }
    }

    private static void add(int[] sums, int factor, int[] line, int count) {
        for (int j = 0; j < count; j++) {
            sums[j] += factor * line[j];
        }
    }
}
