package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * One step of an einsum that is a product of matrices: runs of results lie along one operand, and the other has one
 * factor for each. Results that want the same block of the operand are computed together.
 *
 * @param along the operand that goes along the runs
 */
record EinsumProduct(
        EinsumTerms terms,
        EinsumTerms.Loops outer,
        EinsumTerms.Loops summed,
        EinsumPlan.Place[] from,
        EinsumPlan.Place to,
        int along)
        implements Launch, RangeTask {
    private static final int ROWS = 32;
    /** Large products of few rows are still cut for so many threads. */
    private static final int LEAST_SHARES = 8;

    private static final int DEPTH = 64;
    private static final int WIDTH = 256;
    /** Rows, and lines of a block, that are added at a time; the last lines of a block may be zeros. */
    private static final int TOGETHER = 4;

    /** Slots of scratch memory. */
    private static final int PLACES = 0;

    private static final int COORDINATES = 1;
    private static final int FACTOR_STARTS = 2;
    private static final int FACTOR_STEPS = 3;
    private static final int FACTORS = 0;
    private static final int SUMS = 0;
    private static final int BLOCK = 1;

    static boolean suits(EinsumPlan.Step step) {
        EinsumTerms terms = step.terms();
        return step.to().type().isFloating()
                && step.from().size() == 2
                && terms.keepsRun()
                && terms.runStride(0) + terms.runStride(1) == 1
                && terms.summed().steps() > 0;
    }

    static EinsumProduct of(EinsumPlan.Step step) {
        EinsumTerms terms = step.terms();
        return new EinsumProduct(
                terms,
                terms.outer(),
                terms.summed(),
                step.from().toArray(new EinsumPlan.Place[0]),
                step.to(),
                terms.runStride(0) == 1 ? 0 : 1);
    }

    @Override
    public void run(LaunchContext launch) {
        if (terms.output().elements() > 0) {
            long products = Math.max(1, summed.steps() * terms.run());
            long together = Math.clamp(outer.steps() / LEAST_SHARES, 1, ROWS);
            launch.parallelFor(outer.steps(), Math.max(together, 20_000 / products), this);
        }
    }

    @Override
    public void run(LaunchContext launch, long first, long end, Scratch scratch) {
        long[] starts = scratch.longs(FACTOR_STARTS, ROWS);
        long[] places = scratch.longs(PLACES, from.length);
        long row = first;
        while (row < end) {
            int rows = 0;
            long start = 0;
            for (; rows < ROWS && row + rows < end; rows++) {
                places[0] = from[0].first();
                places[1] = from[1].first();
                outer.add(row + rows, places);
                if (rows > 0 && places[along] != start) {
                    break;
                }
                start = places[along];
                starts[rows] = places[1 - along];
            }
            for (long column = 0; column < terms.run(); column += WIDTH) {
                int width = (int) Math.min(WIDTH, terms.run() - column);
                double[][] sums = sums(launch, start + column, rows, width, scratch);
                for (int i = 0; i < rows; i++) {
                    long at = to.first() + (row + i) * terms.run() + column;
                    Elements.write(to.type(), to.memory(launch), at, sums[i], 0, width);
                }
            }
            row += rows;
        }
    }

    /** The results of some rows whose factors begin at {@link #FACTOR_STARTS}. */
    private double[][] sums(LaunchContext launch, long start, int rows, int width, Scratch scratch) {
        double[][] sums = scratch.doubleRows(SUMS, ROWS, WIDTH);
        double[][] block = scratch.doubleRows(BLOCK, DEPTH, WIDTH);
        double[] factors = scratch.doubles(FACTORS, ROWS * DEPTH);
        long[] starts = scratch.longs(FACTOR_STARTS, ROWS);
        long[] steps = scratch.longs(FACTOR_STEPS, DEPTH);
        long[] places = scratch.longs(PLACES, from.length);
        long[] coordinates = scratch.longs(COORDINATES, summed.axes());
        MemorySegment lines = from[along].memory(launch);
        MemorySegment numbers = from[1 - along].memory(launch);
        Arrays.fill(coordinates, 0, summed.axes(), 0);
        places[along] = start;
        places[1 - along] = 0;
        for (int i = 0; i < rows; i++) {
            Arrays.fill(sums[i], 0, width, 0);
        }
        for (long left = summed.steps(); left > 0; left -= DEPTH) {
            launch.checkCancelled();
            int depth = (int) Math.min(DEPTH, left);
            boolean together = true;
            for (int k = 0; k < depth; k++) {
                Elements.read(from[along].type(), lines, places[along], block[k], 0, width);
                steps[k] = places[1 - along];
                together &= steps[k] == steps[0] + k;
                summed.advance(coordinates, places);
            }
            int whole = (depth + TOGETHER - 1) / TOGETHER * TOGETHER;
            for (int k = depth; k < whole; k++) {
                Arrays.fill(block[k], 0, width, 0);
            }
            for (int i = 0; i < rows; i++) {
                int at = i * DEPTH;
                Arrays.fill(factors, at + depth, at + whole, 0);
                if (together) {
                    Elements.read(from[1 - along].type(), numbers, starts[i] + steps[0], factors, at, depth);
                }
                for (int k = 0; k < depth && !together; k++) {
                    factors[at + k] = Elements.getDouble(from[1 - along].type(), numbers, starts[i] + steps[k]);
                }
            }
            add(sums, rows, factors, block, whole, width);
        }
        return sums;
    }

    /** Adds the lines of the block, each times its factor, to rows of sums, four rows and four lines at a time. */
    private static void add(double[][] sums, int rows, double[] factors, double[][] block, int depth, int width) {
        int row = 0;
        for (; row + TOGETHER <= rows; row += TOGETHER) {
            for (int k = 0; k < depth; k += TOGETHER) {
                addFour(sums, row, factors, row * DEPTH + k, block, k, width);
            }
        }
        for (; row < rows; row++) {
            for (int k = 0; k < depth; k += TOGETHER) {
                addOne(sums[row], factors, row * DEPTH + k, block, k, width);
            }
        }
    }

    private static void addFour(
            double[][] sums, int row, double[] factors, int at, double[][] block, int k, int width) {
        double f00 = factors[at];
        double f01 = factors[at + 1];
        double f02 = factors[at + 2];
        double f03 = factors[at + 3];
        double f10 = factors[at + DEPTH];
        double f11 = factors[at + DEPTH + 1];
        double f12 = factors[at + DEPTH + 2];
        double f13 = factors[at + DEPTH + 3];
        double f20 = factors[at + 2 * DEPTH];
        double f21 = factors[at + 2 * DEPTH + 1];
        double f22 = factors[at + 2 * DEPTH + 2];
        double f23 = factors[at + 2 * DEPTH + 3];
        double f30 = factors[at + 3 * DEPTH];
        double f31 = factors[at + 3 * DEPTH + 1];
        double f32 = factors[at + 3 * DEPTH + 2];
        double f33 = factors[at + 3 * DEPTH + 3];
        double[] b0 = block[k];
        double[] b1 = block[k + 1];
        double[] b2 = block[k + 2];
        double[] b3 = block[k + 3];
        double[] s0 = sums[row];
        double[] s1 = sums[row + 1];
        double[] s2 = sums[row + 2];
        double[] s3 = sums[row + 3];
        for (int j = 0; j < width; j++) {
            double x0 = b0[j];
            double x1 = b1[j];
            double x2 = b2[j];
            double x3 = b3[j];
            s0[j] = Math.fma(f03, x3, Math.fma(f02, x2, Math.fma(f01, x1, Math.fma(f00, x0, s0[j]))));
            s1[j] = Math.fma(f13, x3, Math.fma(f12, x2, Math.fma(f11, x1, Math.fma(f10, x0, s1[j]))));
            s2[j] = Math.fma(f23, x3, Math.fma(f22, x2, Math.fma(f21, x1, Math.fma(f20, x0, s2[j]))));
            s3[j] = Math.fma(f33, x3, Math.fma(f32, x2, Math.fma(f31, x1, Math.fma(f30, x0, s3[j]))));
        }
    }

    private static void addOne(double[] sums, double[] factors, int at, double[][] block, int k, int width) {
        double f0 = factors[at];
        double f1 = factors[at + 1];
        double f2 = factors[at + 2];
        double f3 = factors[at + 3];
        double[] b0 = block[k];
        double[] b1 = block[k + 1];
        double[] b2 = block[k + 2];
        double[] b3 = block[k + 3];
        for (int j = 0; j < width; j++) {
            sums[j] = Math.fma(f3, b3[j], Math.fma(f2, b2[j], Math.fma(f1, b1[j], Math.fma(f0, b0[j], sums[j]))));
        }
    }
}
