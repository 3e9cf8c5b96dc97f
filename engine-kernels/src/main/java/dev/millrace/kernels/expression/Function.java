package dev.millrace.kernels.expression;

import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.UnaryOp;
import dev.millrace.kernels.program.Value;
import dev.millrace.kernels.program.VectorVar;

/**
 * A function of one float, giving one. NaN gives NaN. {@link #maxUlps} bounds the distance from the true value, in
 * units of the last place of a float, over all floats unless it says otherwise.
 */
public enum Function {
    NEGATE(0.5, (builder, x) -> new MathSteps(builder).negate(x)),
    ABS(0.5, (builder, x) -> new MathSteps(builder).abs(x)),
    SQRT(0.5, (builder, x) -> builder.unary(UnaryOp.SQRT, x)),
    RECIPROCAL(0.5, (builder, x) -> new MathSteps(builder).reciprocal(x)),
    ROUND(0.5, (builder, x) -> builder.unary(UnaryOp.ROUND, x)),
    FLOOR(0.5, (builder, x) -> builder.unary(UnaryOp.FLOOR, x)),
    CEIL(0.5, (builder, x) -> builder.unary(UnaryOp.CEIL, x)),
    TRUNCATE(0.5, (builder, x) -> builder.unary(UnaryOp.TRUNCATE, x)),
    RELU(0.5, (builder, x) -> new MathSteps(builder).relu(x)),
    EXP(1.5, (builder, x) -> new MathSteps(builder).exp(x)),
    /** Of floats up to 0, those below 2^-126 becoming 0; below -87 the bound is of the absolute error, 2^-126. */
    EXP_OF_NEGATIVE(24, (builder, x) -> new MathSteps(builder).expOfNegative(x)),
    LOG(1.5, (builder, x) -> new MathSteps(builder).log(x)),
    ERF(6.5, (builder, x) -> new MathSteps(builder).erf(x)),
    TANH(2.5, (builder, x) -> new MathSteps(builder).tanh(x)),
    SIGMOID(3, (builder, x) -> new MathSteps(builder).sigmoid(x));

    /** Writes the steps of a function. */
    @FunctionalInterface
    interface Steps {
        /** The steps of this function. */
        public VectorVar write(ProgramBuilder builder, Value x);
    }

    private final double maxUlps;
    private final Steps steps;

    Function(double maxUlps, Steps steps) {
        this.maxUlps = maxUlps;
        this.steps = steps;
    }

    public double maxUlps() {
        return maxUlps;
    }

    /** The steps of this function. */
    public VectorVar write(ProgramBuilder builder, Value x) {
        return steps.write(builder, x);
    }
}
