package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/** The writer of hyperbolic functions, their inverses, and logarithms and exponentials near zero, as steps. */
final class Hyperbolic {
    private static final Constant ONE = Constant.of(1);
    private static final Constant HALF = Constant.of(0.5f);
    private static final Constant LN2 = Constant.of((float) Math.log(2));
    /** The argument from which an inverse function equals the logarithm of twice its argument. */
    private static final Constant FAR = Constant.of(0x1p14f);
    /** Coefficients of (sinh(x)/x - 1) / x^2 in x^2, for |x| up to 1. */
    private static final float[] SINH = {0.16666667f, 0.008333311f, 0.00019842635f, 2.783925e-06f};

    private final ProgramBuilder builder;
    private final MathSteps math;

    Hyperbolic(ProgramBuilder builder) {
        this.builder = builder;
        this.math = new MathSteps(builder);
    }

    /** Returns exp(x)/2, which is finite as long as the results are. */
    private VectorVar halfExp(VectorVar magnitude) {
        MathSteps.Reduced reduced = math.reduce(builder.min(Constant.of(89), builder.mul(magnitude, HALF)));
        VectorVar root = builder.binary(BinaryOp.SCALE, builder.add(reduced.less(), ONE), reduced.exponent());
        return builder.mul(builder.mul(root, HALF), root);
    }

    private VectorVar halfOfInverse(VectorVar halfExp) {
        return builder.div(Constant.of(0.25f), halfExp);
    }

    VectorVar sinh(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        VectorVar square = builder.mul(magnitude, magnitude);
        VectorVar more = builder.mul(math.polynomial(square, SINH), square);
        VectorVar near = builder.multiplyAdd(more, magnitude, magnitude);
        VectorVar half = halfExp(magnitude);
        VectorVar far = builder.sub(half, halfOfInverse(half));
        MaskVar isFar = builder.compare(Comparison.GREATER, magnitude, ONE);
        return math.withSign(builder.select(isFar, far, near), x);
    }

    VectorVar cosh(ProgramValue x) {
        VectorVar half = halfExp(math.abs(x));
        return builder.add(half, halfOfInverse(half));
    }

    /**
     * Returns exp(x) - 1. The polynomial part is added to half the power of two minus a half, then the sum is doubled,
     * so that nothing overflows early.
     */
    VectorVar expm1(ProgramValue x) {
        VectorVar clamped = builder.max(Constant.of(-20), builder.min(Constant.of(89), x));
        MathSteps.Reduced reduced = math.reduce(clamped);
        VectorVar half = builder.binary(BinaryOp.SCALE, HALF, reduced.exponent());
        VectorVar sum = builder.multiplyAdd(reduced.less(), half, builder.sub(half, HALF));
        return math.withSignOfZero(builder.add(sum, sum), x);
    }

    /**
     * Returns log(1 + x). The rounding error of 1 + x is corrected by the factor x / ((1 + x) - 1), as in theorem 4 of
     * Goldberg, "What Every Computer Scientist Should Know About Floating-Point Arithmetic", 1991.
     */
    VectorVar log1p(ProgramValue x) {
        VectorVar sum = builder.add(x, ONE);
        VectorVar arrived = builder.sub(sum, ONE);
        VectorVar log = builder.mul(math.log(sum), builder.div(x, arrived));
        MaskVar nothing = builder.compare(Comparison.EQUAL, arrived, Constant.ZERO);
        MaskVar infinite = builder.compare(Comparison.EQUAL, x, Constant.of(Float.POSITIVE_INFINITY));
        return builder.select(infinite, x, builder.select(nothing, x, log));
    }

    private VectorVar orLogOfTwice(VectorVar near, ProgramValue x) {
        VectorVar far = builder.add(math.log(x), LN2);
        return builder.select(builder.compare(Comparison.GREATER, x, FAR), far, near);
    }

    VectorVar asinh(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        VectorVar square = builder.mul(magnitude, magnitude);
        VectorVar root = builder.unary(UnaryOp.SQRT, builder.add(square, ONE));
        VectorVar more = builder.div(square, builder.add(root, ONE));
        return math.withSign(orLogOfTwice(log1p(builder.add(magnitude, more)), magnitude), x);
    }

    VectorVar acosh(ProgramValue x) {
        VectorVar above = builder.sub(x, ONE);
        VectorVar square = builder.mul(above, builder.add(above, Constant.of(2)));
        VectorVar near = log1p(builder.add(above, builder.unary(UnaryOp.SQRT, square)));
        MaskVar inDomain = builder.compare(Comparison.GREATER_OR_EQUAL, x, ONE);
        return builder.select(inDomain, orLogOfTwice(near, x), Constant.of(Float.NaN));
    }

    VectorVar atanh(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        VectorVar ratio = builder.div(builder.add(magnitude, magnitude), builder.sub(ONE, magnitude));
        return math.withSign(builder.mul(log1p(ratio), HALF), x);
    }
}
