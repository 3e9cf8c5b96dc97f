package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The operands of a recurrent layer, all dense.
 *
 * @param x [steps, batch, inputs]
 * @param packed the weights, packed by the same {@link Recurrent}
 * @param peepholes [directions, 3 hidden], for input, output and forget gate; if and only if the cells have them
 * @param state the first [directions, batch, hidden], zeros if null
 * @param cell the first cells of an LSTM, of the same shape; null for other layers
 * @param lengths the number of steps of each entry of the batch, all steps if null; outputs behind them are zeros
 * @param y all states, [steps, directions, batch, hidden]
 * @param lastState [directions, batch, hidden], or null if it is not wanted
 * @param lastCell the last cells of an LSTM, of the same shape; null for other layers
 */
public record RecurrentCall(
        RecurrentSizes shape,
        MemorySegment x,
        MemorySegment packed,
        @Nullable MemorySegment peepholes,
        @Nullable MemorySegment state,
        @Nullable MemorySegment cell,
        int @Nullable [] lengths,
        MemorySegment y,
        @Nullable MemorySegment lastState,
        @Nullable MemorySegment lastCell) {

    /** Returns a call that starts from zeros, runs all steps and writes all states. */
    public static RecurrentCall of(RecurrentSizes shape, MemorySegment x, MemorySegment packed, MemorySegment y) {
        return new RecurrentCall(shape, x, packed, null, null, null, null, y, null, null);
    }

    void check() {
        long rows = (long) shape.steps() * shape.batch();
        long states = Math.multiplyExact((long) shape.directions() * shape.batch(), shape.hidden());
        CallChecks.vector("X", x, Math.multiplyExact(rows, shape.inputs()));
        CallChecks.vector("Y", y, Math.multiplyExact(states, shape.steps()));
        CallChecks.writable("Y", y);
        CallChecks.apart("Y", y, "X", x);
        CallChecks.apart("Y", y, "the packed weights", packed);
        input("the peepholes", peepholes, 3L * shape.directions() * shape.hidden());
        input("the first state", state, states);
        input("the first cell", cell, states);
        output("the last state", lastState, states);
        output("the last cell", lastCell, states);
        if (lengths != null) {
            checkLengths(lengths);
        }
    }

    private void input(String name, @Nullable MemorySegment segment, long elements) {
        if (segment != null) {
            CallChecks.vector(name, segment, elements);
            CallChecks.apart("Y", y, name, segment);
        }
    }

    private void output(String name, @Nullable MemorySegment segment, long elements) {
        if (segment != null) {
            input(name, segment, elements);
            CallChecks.writable(name, segment);
            CallChecks.apart(name, segment, "X", x);
            CallChecks.apart(name, segment, "the packed weights", packed);
        }
    }

    private void checkLengths(int[] numbers) {
        if (numbers.length != shape.batch()) {
            throw new IllegalArgumentException(
                    "there are " + numbers.length + " lengths for a batch of " + shape.batch());
        }
        for (int length : numbers) {
            if (length < 0 || length > shape.steps()) {
                throw new IllegalArgumentException("a length is " + length + ", not 0 to " + shape.steps());
            }
        }
    }

    boolean isActive(int step, int entry) {
        return lengths == null || step < lengths[entry];
    }
}
