package dev.millrace.providers.simd;

import static dev.millrace.graph.tensor.Layouts.FLOAT;

import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The product in plain Java. Weights lie in panels of 256 columns (the last one narrower), each with its rows one after
 * the other and nothing between them, so packing changes the order and not the size.
 *
 * <p>C2 makes vector code of a loop only where every array is indexed by the loop's variable plus a constant. So four
 * rows of a panel at a time are copied to the start of an array, pairs of result rows have an array each, and the loop
 * over the columns adds four products per element and row. Every row is summed in the order of k with fused
 * multiply-add, in whatever tile it lies.
 */
final class PanelProduct implements ProductKernel {
    static final int WIDTH = 256;
    private static final int ROWS = 8;
    /** Rows of weights per pass over the result. */
    private static final int STEP = 4;
    /** Columns of X at a time. */
    private static final int DEPTH = 512;

    private static final int WEIGHTS = 0;
    private static final int FIRST_PAIR = 1;
    private static final int X = FIRST_PAIR + ROWS / 2;

    @Override
    public String layout() {
        return "f32-panels-256";
    }

    @Override
    public long packedBytes(long k, long n) {
        return Math.multiplyExact(Math.multiplyExact(k, n), (long) Float.BYTES);
    }

    @Override
    public int rows() {
        return ROWS;
    }

    @Override
    public int columns() {
        return WIDTH;
    }

    @Override
    public int[] freeSlots() {
        return new int[] {WEIGHTS, X, X + 1, X + 2};
    }

    @Override
    public void pack(MemorySegment weights, boolean transposed, long k, long n, MemorySegment packed) {
        long to = 0;
        for (long column = 0; column < n; column += WIDTH) {
            int width = (int) Math.min(WIDTH, n - column);
            if (transposed) {
                packTransposed(weights, k, column, width, packed, to);
            } else {
                for (long row = 0; row < k; row++) {
                    MemorySegment.copy(
                            weights,
                            (row * n + column) * Float.BYTES,
                            packed,
                            to + row * width * Float.BYTES,
                            (long) width * Float.BYTES);
                }
            }
            to += k * width * Float.BYTES;
        }
    }

    private static void packTransposed(
            MemorySegment weights, long k, long column, int width, MemorySegment packed, long to) {
        int depth = 64;
        float[] line = new float[depth];
        float[] square = new float[depth * width];
        for (long row = 0; row < k; row += depth) {
            int rows = (int) Math.min(depth, k - row);
            for (int j = 0; j < width; j++) {
                MemorySegment.copy(weights, FLOAT, ((column + j) * k + row) * Float.BYTES, line, 0, rows);
                for (int i = 0; i < rows; i++) {
                    square[i * width + j] = line[i];
                }
            }
            MemorySegment.copy(square, 0, packed, FLOAT, to + row * width * Float.BYTES, rows * width);
        }
    }

    @Override
    public void tile(
            Matrices matrices, LaunchContext context, long row, int rows, int panel, Scratch scratch, RowSink sink) {
        long n = matrices.n();
        long column = (long) panel * WIDTH;
        int width = (int) Math.min(WIDTH, n - column);
        start(matrices, context, column, width, rows, scratch);
        float[] x = scratch.floats(X, ROWS * DEPTH);
        for (long depth = 0; depth < matrices.k(); depth += DEPTH) {
            int count = (int) Math.min(DEPTH, matrices.k() - depth);
            readX(matrices, context, row, rows, depth, count, x);
            long from = (column * matrices.k() + depth * width) * Float.BYTES;
            accumulate(matrices.packed(), from, count, width, rows, x, scratch);
        }
        for (int i = 0; i < rows; i++) {
            float[] pair = scratch.floats(FIRST_PAIR + i / 2, 2 * WIDTH);
            sink.accept(context, scratch, pair, i % 2 * WIDTH, (row + i) * n + column, width);
        }
    }

    /** Sets the results to the bias, or to zero. */
    private static void start(
            Matrices matrices, LaunchContext context, long column, int width, int rows, Scratch scratch) {
        Place bias = matrices.bias();
        for (int i = 0; i < rows; i++) {
            float[] pair = scratch.floats(FIRST_PAIR + i / 2, 2 * WIDTH);
            int at = i % 2 * WIDTH;
            if (bias == null) {
                Arrays.fill(pair, at, at + width, 0f);
            } else {
                MemorySegment.copy(bias.segment(context), FLOAT, bias.base() + column * Float.BYTES, pair, at, width);
            }
        }
    }

    /** Copies a part of some rows of X, each filled with zeros up to a whole number of steps. */
    private static void readX(
            Matrices matrices, LaunchContext context, long row, int rows, long depth, int count, float[] x) {
        MemorySegment from = matrices.x().segment(context);
        for (int i = 0; i < rows; i++) {
            long first = matrices.x().base() + ((row + i) * matrices.k() + depth) * Float.BYTES;
            MemorySegment.copy(from, FLOAT, first, x, i * DEPTH, count);
            int whole = (count + STEP - 1) & -STEP;
            Arrays.fill(x, i * DEPTH + count, i * DEPTH + whole, 0f);
        }
    }

    private static void accumulate(
            MemorySegment packed, long from, int count, int width, int rows, float[] x, Scratch scratch) {
        float[] weights = scratch.floats(WEIGHTS, STEP * WIDTH);
        int pairs = rows / 2;
        for (int k = 0; k < count; k += STEP) {
            int steps = Math.min(STEP, count - k);
            readWeights(packed, from + (long) k * width * Float.BYTES, steps, width, weights);
            for (int pair = 0; pair < pairs; pair++) {
                twoRows(scratch.floats(FIRST_PAIR + pair, 2 * WIDTH), weights, x, pair * 2 * DEPTH + k, width);
            }
            if (rows % 2 != 0) {
                oneRow(scratch.floats(FIRST_PAIR + pairs, 2 * WIDTH), weights, x, pairs * 2 * DEPTH + k, width);
            }
        }
    }

    private static void readWeights(MemorySegment packed, long from, int steps, int width, float[] weights) {
        if (width == WIDTH) {
            MemorySegment.copy(packed, FLOAT, from, weights, 0, steps * WIDTH);
        } else {
            for (int i = 0; i < steps; i++) {
                MemorySegment.copy(packed, FLOAT, from + (long) i * width * Float.BYTES, weights, i * WIDTH, width);
            }
        }
        // beyond the last row there may be anything, and anything times zero may be NaN
        Arrays.fill(weights, steps * WIDTH, STEP * WIDTH, 0f);
    }

    private static void twoRows(float[] c, float[] b, float[] x, int at, int width) {
        float p0 = x[at];
        float p1 = x[at + 1];
        float p2 = x[at + 2];
        float p3 = x[at + 3];
        float q0 = x[at + DEPTH];
        float q1 = x[at + DEPTH + 1];
        float q2 = x[at + DEPTH + 2];
        float q3 = x[at + DEPTH + 3];
        for (int j = 0; j < width; j++) {
            float b0 = b[j];
            float b1 = b[WIDTH + j];
            float b2 = b[2 * WIDTH + j];
            float b3 = b[3 * WIDTH + j];
            c[j] = Math.fma(p3, b3, Math.fma(p2, b2, Math.fma(p1, b1, Math.fma(p0, b0, c[j]))));
            c[WIDTH + j] = Math.fma(q3, b3, Math.fma(q2, b2, Math.fma(q1, b1, Math.fma(q0, b0, c[WIDTH + j]))));
        }
    }

    private static void oneRow(float[] c, float[] b, float[] x, int at, int width) {
        float p0 = x[at];
        float p1 = x[at + 1];
        float p2 = x[at + 2];
        float p3 = x[at + 3];
        for (int j = 0; j < width; j++) {
            c[j] = Math.fma(
                    p3,
                    b[3 * WIDTH + j],
                    Math.fma(p2, b[2 * WIDTH + j], Math.fma(p1, b[WIDTH + j], Math.fma(p0, b[j], c[j]))));
        }
    }
}
