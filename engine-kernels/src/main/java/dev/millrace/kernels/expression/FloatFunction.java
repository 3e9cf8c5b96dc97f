package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/**
 * A function from one float to another. NaN gives NaN. {@link #maxUlps} bounds the distance from the true value, in
 * units of the last place of a float, over all floats unless a constant says otherwise.
 */
public enum FloatFunction {
    NEGATE(0.5, (builder, x) -> new MathSteps(builder).negate(x)),
    ABS(0.5, (builder, x) -> new MathSteps(builder).abs(x)),
    SQRT(0.5, (builder, x) -> builder.unary(UnaryOp.SQRT, x)),
    RECIPROCAL(0.5, (builder, x) -> new MathSteps(builder).reciprocal(x)),
    ROUND(0.5, (builder, x) -> builder.unary(UnaryOp.ROUND, x)),
    FLOOR(0.5, (builder, x) -> builder.unary(UnaryOp.FLOOR, x)),
    CEIL(0.5, (builder, x) -> builder.unary(UnaryOp.CEIL, x)),
    TRUNCATE(0.5, (builder, x) -> builder.unary(UnaryOp.TRUNCATE, x)),
    RELU(0.5, (builder, x) -> new MathSteps(builder).relu(x)),
    EXP(2.5, (builder, x) -> new MathSteps(builder).exp(x)),
    /** The exponential of floats up to 0; below -87 the bound is of the absolute error, 2^-126. */
    EXP_OF_NEGATIVE(2.5, (builder, x) -> new MathSteps(builder).expOfNegative(x)),
    /** 2 to the power of floats up to 1; below -126 the bound is of the absolute error, 2^-126. */
    EXP2_OF_NEGATIVE(2.5, (builder, x) -> new MathSteps(builder).exp2OfNegative(x)),
    EXPM1(2, (builder, x) -> new Hyperbolic(builder).expm1(x)),
    LOG(1.5, (builder, x) -> new MathSteps(builder).log(x)),
    LOG1P(3, (builder, x) -> new Hyperbolic(builder).log1p(x)),
    ERF(2.5, (builder, x) -> new MathSteps(builder).erf(x)),
    /** The error function as a ratio of polynomials, with half the steps of {@link #ERF}. */
    ERF_AS_RATIO(6, (builder, x) -> new MathSteps(builder).erfAsRatio(x)),
    TANH(5.5, (builder, x) -> new MathSteps(builder).tanh(x)),
    /** The logistic function; below -87 the bound is of the absolute error, 2^-126. */
    SIGMOID(3.5, (builder, x) -> new MathSteps(builder).sigmoid(x)),
    SIN(2, (builder, x) -> new Trigonometry(builder).sin(x)),
    COS(2, (builder, x) -> new Trigonometry(builder).cos(x)),
    TAN(4, (builder, x) -> new Trigonometry(builder).tan(x)),
    ASIN(3, (builder, x) -> new Trigonometry(builder).asin(x)),
    ACOS(3, (builder, x) -> new Trigonometry(builder).acos(x)),
    ATAN(3, (builder, x) -> new Trigonometry(builder).atan(x)),
    SINH(5, (builder, x) -> new Hyperbolic(builder).sinh(x)),
    COSH(5, (builder, x) -> new Hyperbolic(builder).cosh(x)),
    ASINH(6, (builder, x) -> new Hyperbolic(builder).asinh(x)),
    ACOSH(6, (builder, x) -> new Hyperbolic(builder).acosh(x)),
    ATANH(6, (builder, x) -> new Hyperbolic(builder).atanh(x)),
    /** The nearest float that fits 16 bits, ties to even; infinity from 65520 on. */
    AS_F16(0, (builder, x) -> new NarrowFloats(builder).toF16(x)),
    /** The nearest float whose lower 16 bits are zero, ties to even. */
    AS_BF16(0, (builder, x) -> new NarrowFloats(builder).toBf16(x));

    /** The writer of the steps of a function. */
    @FunctionalInterface
    interface Steps {
        /** Writes the steps of this function. */
        public VectorVar write(ProgramBuilder builder, ProgramValue x);
    }

    private final double maxUlps;
    private final Steps steps;

    FloatFunction(double maxUlps, Steps steps) {
        this.maxUlps = maxUlps;
        this.steps = steps;
    }

    public double maxUlps() {
        return maxUlps;
    }

    /** Writes the steps of this function. */
    public VectorVar write(ProgramBuilder builder, ProgramValue x) {
        return steps.write(builder, x);
    }
}
