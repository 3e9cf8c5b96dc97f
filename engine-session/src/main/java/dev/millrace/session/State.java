package dev.millrace.session;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.util.Failures;
import org.jspecify.annotations.Nullable;

/**
 * An output that is an input of the next element of its sequence.
 *
 * @param output of a run
 * @param input of the next one
 * @param first what the first element of a sequence is given; null for zeros
 * @param zeros the shape of zeros; null for the declared one, in which extents that the model leaves open are 1
 */
public record State(
        String output,
        String input,
        @Nullable Tensor first,
        @Nullable Shape zeros) {
    /** A state that begins as zeros of the declared shape. */
    public static State carry(String output, String input) {
        return new State(output, input, null, null);
    }

    /** A state that begins as this tensor, which stays the caller's and open. */
    public State from(Tensor initial) {
        return new State(output, input, Failures.requireArgument(initial, "initial"), null);
    }

    /** A state that begins as zeros of these extents. */
    public State ofZeros(long... dims) {
        return new State(output, input, null, Shape.of(dims));
    }
}
