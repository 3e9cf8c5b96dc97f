package dev.millrace.kernels.recurrent;

/**
 * The sizes of a recurrent layer.
 *
 * @param inputs elements of the input at each step
 * @param hidden the number of units, which are the elements of the state
 */
public record RecurrentSizes(int steps, int batch, int inputs, int hidden, Direction direction) {
    /** The order of the steps. */
    public enum Direction {
        FORWARD,
        REVERSE,
        /** Two layers side by side, the first one forward. */
        BOTH
    }

    private static final int MAX = 1 << 20;

    public RecurrentSizes {
        if (steps < 0 || batch < 0 || inputs < 1 || inputs > MAX || hidden < 1 || hidden > MAX) {
            throw new IllegalArgumentException("a recurrent layer has " + steps + " steps, a batch of " + batch + ", "
                    + inputs + " inputs and " + hidden + " units");
        }
    }

    public int directions() {
        return direction == Direction.BOTH ? 2 : 1;
    }

    boolean isReverse(int index) {
        return direction == Direction.REVERSE || index == 1;
    }
}
