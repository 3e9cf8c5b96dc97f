package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.call.Extents;
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
        RecurrentShape shape,
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
    public static RecurrentCall of(RecurrentShape shape, MemorySegment x, MemorySegment packed, MemorySegment y) {
        return new RecurrentCall(shape, x, packed, null, null, null, null, y, null, null);
    }

    void check() {
        long rows = (long) shape.steps() * shape.batch();
        long states = Math.multiplyExact((long) shape.directions() * shape.batch(), shape.hidden());
        Extents.vector("X", x, Math.multiplyExact(rows, shape.inputs()));
        Extents.vector("Y", y, Math.multiplyExact(states, shape.steps()));
        Extents.writable("Y", y);
        Extents.apart("Y", y, "X", x);
        Extents.apart("Y", y, "the packed weights", packed);
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
            Extents.vector(name, segment, elements);
            Extents.apart("Y", y, name, segment);
        }
    }

    private void output(String name, @Nullable MemorySegment segment, long elements) {
        if (segment != null) {
            input(name, segment, elements);
            Extents.writable(name, segment);
            Extents.apart(name, segment, "X", x);
            Extents.apart(name, segment, "the packed weights", packed);
        }
    }

    private void checkLengths(int[] given) {
        if (given.length != shape.batch()) {
            throw new IllegalArgumentException(
                    "there are " + given.length + " lengths for a batch of " + shape.batch());
        }
        for (int length : given) {
            if (length < 0 || length > shape.steps()) {
                throw new IllegalArgumentException("a length is " + length + ", not 0 to " + shape.steps());
            }
        }
    }

    boolean isActive(int step, int entry) {
        return lengths == null || step < lengths[entry];
    }
}
