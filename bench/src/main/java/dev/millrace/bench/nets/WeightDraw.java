package dev.millrace.bench.nets;

/** The distribution of a net's weights. */
public enum WeightDraw {
    /**
     * Uniform over their range, quantised with a scale for each output channel. None is far from
     * the values at which sums saturate.
     */
    EVEN,
    /** Bell-shaped as in trained nets, where few are large; quantised with one scale for a tensor. */
    BELL
}
