package dev.millrace.kernels.recurrent;

import java.lang.foreign.MemorySegment;

/**
 * One direction of a call.
 *
 * @param index of the direction
 * @param clip the bound of what goes into activations, if they are clipped
 * @param packed the weights of this direction
 * @param scratch the scratch memory of this direction
 */
record RecurrentDirection(
        RecurrentCell cell,
        RecurrentCall call,
        int index,
        float clip,
        PackedWeights weights,
        MemorySegment packed,
        RecurrentScratch layout,
        MemorySegment scratch) {

    /** Of a row of gates. */
    long columns() {
        return (long) cell.gates() * call.shape().hidden();
    }

    /** Of the states of the batch. */
    long stateBytes() {
        return 4L * call.shape().batch() * call.shape().hidden();
    }

    boolean isReverse() {
        return call.shape().isReverse(index);
    }

    /** Where the state is that a step reads: a step of an even number reads the first one. */
    long stateBefore(int step) {
        return layout.state() + (step & 1) * layout.stateDistance();
    }

    /** Where the state is that a step writes. */
    long stateAfter(int step) {
        return layout.state() + (~step & 1) * layout.stateDistance();
    }
}
