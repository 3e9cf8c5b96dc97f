package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
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

    /** Slots of scratch memory. */
    private static final int PLACES = 0;

    private static final int COORDINATES = 1;
    private static final int FACTOR_STARTS = 2;
    private static final int FACTOR_STEPS = 3;
    private static final int SUMS = 0;
    private static final int BLOCK = 1;
    private static final int FACTORS = 2;

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
        double[][] factors = scratch.doubleRows(FACTORS, ROWS, DEPTH);
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
            int whole = DoubleRows.padded(depth);
            for (int k = depth; k < whole; k++) {
                Arrays.fill(block[k], 0, width, 0);
            }
            for (int i = 0; i < rows; i++) {
                double[] own = factors[i];
                Arrays.fill(own, depth, whole, 0);
                if (together) {
                    Elements.read(from[1 - along].type(), numbers, starts[i] + steps[0], own, 0, depth);
                }
                for (int k = 0; k < depth && !together; k++) {
                    own[k] = Elements.getDouble(from[1 - along].type(), numbers, starts[i] + steps[k]);
                }
            }
            DoubleRows.accumulate(sums, rows, factors, block, whole, width);
        }
        return sums;
    }
}
