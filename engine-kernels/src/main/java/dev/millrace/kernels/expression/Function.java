package dev.millrace.kernels.expression;

/**
 * A function of one float. NaN gives NaN. {@link #maxUlps} bounds the distance from the true value, in units of the
 * last place of a float, over all floats.
 */
public enum Function {
    NEGATE(0.5),
    ABS(0.5),
    SQRT(0.5),
    RECIPROCAL(0.5),
    ROUND(0.5),
    FLOOR(0.5),
    CEIL(0.5),
    TRUNCATE(0.5),
    RELU(0.5),
    EXP(1.5),
    LOG(1.5),
    ERF(2.5),
    TANH(2.5),
    SIGMOID(3);

    private final double maxUlps;

    Function(double maxUlps) {
        this.maxUlps = maxUlps;
    }

    public double maxUlps() {
        return maxUlps;
    }
}
