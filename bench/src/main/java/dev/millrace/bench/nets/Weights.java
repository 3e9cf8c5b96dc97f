package dev.millrace.bench.nets;

/** What the weights of a net are like. */
public enum Weights {
    /** Evenly over their range, quantised with a scale for each output channel: none is far from where sums saturate. */
    EVEN,
    /** As those of trained nets, few are large; quantised with one scale for a tensor. */
    BELL
}
