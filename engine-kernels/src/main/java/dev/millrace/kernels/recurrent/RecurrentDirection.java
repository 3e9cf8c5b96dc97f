package dev.millrace.kernels.recurrent;

import java.lang.foreign.MemorySegment;

/**
 * One direction of a call.
 *
 * @param index the number of the direction
 * @param clip the bound of the inputs of activations, if they are clipped
 * @param packed the weights of this direction
 * @param scratch the scratch memory of this direction
 */
record RecurrentDirection(
        RecurrentCell cell,
        RecurrentCall call,
        int index,
        float clip,
        RecurrentWeights weights,
        MemorySegment packed,
        RecurrentScratch layout,
        MemorySegment scratch) {

    /** The number of columns in a row of gates. */
    long columns() {
        return (long) cell.gates() * call.shape().hidden();
    }

    /** The size of the states of the batch in bytes. */
    long stateBytes() {
        return 4L * call.shape().batch() * call.shape().hidden();
    }

    boolean isReverse() {
        return call.shape().isReverse(index);
    }

    /** The offset of the state that a step reads: even steps read the first one. */
    long stateBefore(int step) {
        return layout.state() + (step & 1) * layout.stateDistance();
    }

    /** The offset of the state that a step writes. */
    long stateAfter(int step) {
        return layout.state() + (~step & 1) * layout.stateDistance();
    }
}
