package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.call.Worth;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmSequence;

/**
 * Where the parts of the scratch memory of one direction are, in bytes. States are there twice: a step reads one of them
 * and writes the other one, {@code stateDistance} further. What tasks have of their own comes first.
 *
 * @param tasks how many of them share the units at most
 */
record RecurrentScratch(int tasks, long state, long stateDistance, long other, long products, long gates, long bytes) {
    /** Arguments of the gates' kernels, then those of products. */
    static final long TASK_BYTES = PackedWeights.up(GateArguments.BYTES) + GemmSequence.SCRATCH_BYTES;

    private static final int MAX_TASKS = 16;

    static RecurrentScratch of(Gemm gemm, RecurrentCell cell, RecurrentShape shape) {
        int tasks = tasks(gemm, cell, shape);
        long row = Math.multiplyExact(4L * shape.hidden(), shape.batch());
        long rowOfGates = row * cell.gates();
        long stateDistance = PackedWeights.up(row);
        long state = tasks * TASK_BYTES;
        long other = state + 2 * stateDistance;
        long products = other + PackedWeights.up(row);
        long gates = products + (cell.apart() ? PackedWeights.up(rowOfGates) : 0);
        long bytes = gates + PackedWeights.up(Math.multiplyExact(rowOfGates, 2 * pairsOfSteps(shape)));
        return new RecurrentScratch(tasks, state, stateDistance, other, products, gates, bytes);
    }

    private static int tasks(Gemm gemm, RecurrentCell cell, RecurrentShape shape) {
        double work = (double) shape.batch() * cell.gates() * shape.hidden() * shape.hidden() / Worth.SLOW_PRODUCTS;
        long panels = Math.ceilDiv(shape.hidden(), gemm.panelColumns());
        return (int) Math.max(1, Math.min(Math.min(panels, MAX_TASKS), work));
    }

    /** Steps are taken in pairs, since states change places: there is room for the gates of an even number, at least two. */
    static long pairsOfSteps(RecurrentShape shape) {
        return Math.max(1, (shape.steps() + 1L) / 2);
    }
}
