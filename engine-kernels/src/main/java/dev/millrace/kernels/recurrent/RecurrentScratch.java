package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmSequence;

/**
 * The offsets in bytes of the parts of one direction's scratch memory. There are two copies of the states: a step reads
 * one and writes the other, which is {@code stateDistance} further. The memory of the tasks comes first.
 *
 * @param tasks the most tasks that share the units
 */
record RecurrentScratch(int tasks, long state, long stateDistance, long other, long products, long gates, long bytes) {
    /** The memory of a task: the arguments of the gates' kernels, then those of products. */
    static final long TASK_BYTES = RecurrentWeights.up(GateArguments.BYTES) + GemmSequence.SCRATCH_BYTES;

    private static final int MAX_TASKS = 16;

    static RecurrentScratch of(Gemm gemm, RecurrentCell cell, RecurrentSizes shape) {
        int tasks = tasks(gemm, cell, shape);
        long row = Math.multiplyExact(4L * shape.hidden(), shape.batch());
        long rowOfGates = row * cell.gates();
        long stateDistance = RecurrentWeights.up(row);
        long state = tasks * TASK_BYTES;
        long other = state + 2 * stateDistance;
        long products = other + RecurrentWeights.up(row);
        long gates = products + (cell.apart() ? RecurrentWeights.up(rowOfGates) : 0);
        long bytes = gates + RecurrentWeights.up(Math.multiplyExact(rowOfGates, 2 * pairsOfSteps(shape)));
        return new RecurrentScratch(tasks, state, stateDistance, other, products, gates, bytes);
    }

    private static int tasks(Gemm gemm, RecurrentCell cell, RecurrentSizes shape) {
        double work = (double) shape.batch()
                * cell.gates()
                * shape.hidden()
                * shape.hidden()
                / ParallelThresholds.SLOW_PRODUCTS;
        long panels = Math.ceilDiv(shape.hidden(), gemm.panelColumns());
        return (int) Math.max(1, Math.min(Math.min(panels, MAX_TASKS), work));
    }

    /**
     * The number of pairs of steps. Steps are processed in pairs, since the two copies of the states alternate: there
     * is room for the gates of an even number of steps, at least two.
     */
    static long pairsOfSteps(RecurrentSizes shape) {
        return Math.max(1, (shape.steps() + 1L) / 2);
    }
}
