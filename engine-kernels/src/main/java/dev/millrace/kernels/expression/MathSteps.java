package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/**
 * The writer of transcendental functions as steps: Cody-Waite range reduction and minimax polynomials (Remez, weighted
 * for relative error).
 *
 * <p>MIN and MAX give their second operand on NaN, so clamps name the bound first: NaN passes.
 */
final class MathSteps {
    private static final int SIGN = 0x80000000;
    private static final int MAGNITUDE = 0x7fffffff;
    private static final int MANTISSA = 0x007fffff;
    private static final int ONE_BITS = 0x3f800000;

    private static final float LOG2_E = 1.442695f;
    private static final float LOG2_E_REST = (float) (1 / Math.log(2) - LOG2_E);
    /** ln 2 in two parts (Cody and Waite); the first has so few bits that its products with exponents are exact. */
    private static final float LN2_HIGH = 0.6933594f;

    private static final float LN2_LOW = -0.00021219444f;
    private static final Constant ONE = Constant.of(1);
    /** A constant that, added, leaves the nearest integer plus 127, the exponent of a float, in the lowest bits. */
    private static final Constant TO_EXPONENT = Constant.of(0x1.8p23f + 127);

    /** A constant that, added and subtracted again, leaves the nearest integer. */
    private static final Constant TO_INTEGER = Constant.of(0x1.8p23f);

    private static final Constant MANTISSA_BITS = Constant.ofBits(23);
    /** The argument whose power of two is {@code 2^-127}, with the exponent bits of zero. */
    private static final float LEAST_EXPONENT = -87.9f;
    /** The argument whose power of two is {@code 2^128}, with the exponent bits of infinity. */
    private static final float LARGEST_EXPONENT = 88.7f;

    /** Coefficients of (exp(r) - 1 - r) / r^2 for |r| up to ln(2)/2. */
    private static final float[] EXP = {0.49999994f, 0.16666521f, 0.04166839f, 0.008368735f, 0.001381456f};
    /** Coefficients of (2^-r - 1) / r for |r| up to 1/2. */
    private static final float[] POWER_BACK = {-0.693147f, 0.24022242f, -0.055507336f, 0.009671513f, -0.0013264727f};
    /** Coefficients of (log(1+f) - f + f^2/2) / f^3 for 1+f from sqrt(1/2) to sqrt(2). */
    private static final float[] LOG = {
        0.3333331f,
        -0.24999987f,
        0.20002227f,
        -0.16669253f,
        0.14218666f,
        -0.123843364f,
        0.11872918f,
        -0.11789855f,
        0.06915546f
    };
    /** Coefficients of erf(x)/x - 1 in x^2, for |x| up to {@link #ERF_MIDDLE}. */
    private static final float[] ERF_NEAR = {
        0.12837906f, -0.37612498f, 0.11281863f, -0.026767615f, 0.0049948483f, -0.00059994066f
    };
    /** Coefficients of the eighth root of 1 - erf(x), for x from {@link #ERF_MIDDLE} to 3.92. */
    private static final float[] ERF_FAR = {
        1.0007209f, -0.14461744f, -0.06212921f, -0.010792542f, 0.012662017f, -0.0024073648f, 0.00014385735f
    };

    private static final double ERF_MIDDLE = 0.96;
    /** Coefficients of erf(x)/x as a ratio of polynomials in x^2, for |x| up to 3.92; this one begins with 1. */
    private static final float[] ERF_ABOVE = {0.16907273f, 0.04678353f, 0.0033493827f, 0.0002524018f, 1.8096983e-06f};

    private static final float[] ERF_BELOW = {
        0.88622695f, 0.44524524f, 0.10125602f, 0.013290714f, 0.0010325955f, 3.3680582e-05f
    };
    /** Coefficients of tanh(x)/x as a ratio of polynomials in x^2 that begin with 1, for |x| up to 9.02. */
    private static final float[] TANH_ABOVE = {0.13382687f, 0.0034974576f, 2.0635836e-05f, 1.3384289e-08f};

    private static final float[] TANH_BELOW = {0.46716008f, 0.025884358f, 0.00032885184f, 7.7902524e-07f};

    private final ProgramBuilder builder;

    MathSteps(ProgramBuilder builder) {
        this.builder = builder;
    }

    private static Constant of(double value) {
        return Constant.of((float) value);
    }

    /** Writes a polynomial by Horner's rule. The last coefficient is that of the highest power. */
    VectorVar polynomial(ProgramValue x, float[] coefficients) {
        int last = coefficients.length - 1;
        VectorVar sum = builder.multiplyAdd(Constant.of(coefficients[last]), x, Constant.of(coefficients[last - 1]));
        for (int i = last - 2; i >= 0; i--) {
            sum = builder.multiplyAdd(sum, x, Constant.of(coefficients[i]));
        }
        return sum;
    }

    VectorVar abs(ProgramValue x) {
        return builder.binary(BinaryOp.AND, x, Constant.ofBits(MAGNITUDE));
    }

    /**
     * Returns the exponential of numbers up to 0, with fewer steps: below {@code 2^-126} the result is 0, also for
     * negative infinity.
     */
    VectorVar expOfNegative(ProgramValue x) {
        return shiftedPower(builder.max(of(LEAST_EXPONENT), x), 1);
    }

    /**
     * Returns the exponential of x or, with a sign of -1, of -x. Its power of two consists of exponent bits alone:
     * {@code 2^-127} becomes 0, {@code 2^128} becomes infinity, and arguments beyond these are not allowed.
     */
    private VectorVar shiftedPower(VectorVar x, float sign) {
        VectorVar shifted = builder.multiplyAdd(x, of(sign * LOG2_E), TO_EXPONENT);
        return powerOfTwo(shifted, back(x, sign, builder.sub(shifted, TO_EXPONENT)));
    }

    /** Returns the distance of {@code x log2(e)}, or with a sign of -1 of its negative, below n. */
    private VectorVar back(VectorVar x, float sign, VectorVar n) {
        VectorVar most = builder.multiplySubtract(x, of(sign * LOG2_E), n);
        return builder.multiplySubtract(x, of(sign * LOG2_E_REST), most);
    }

    /** Returns {@code 2^-back} for |back| up to 1/2. */
    private VectorVar powerOfRest(VectorVar back) {
        return builder.multiplyAdd(polynomial(back, POWER_BACK), back, ONE);
    }

    /** Returns {@code 2^(n - back)}, where the lowest bits of {@code shifted} are n plus 127. */
    private VectorVar powerOfTwo(VectorVar shifted, VectorVar back) {
        return builder.mul(powerOfRest(back), builder.binary(BinaryOp.SHIFT_LEFT, shifted, MANTISSA_BITS));
    }

    /** Returns the power of two of numbers up to 1, by the same method without the change of base. */
    VectorVar exp2OfNegative(ProgramValue x) {
        VectorVar clamped = builder.max(of(-127), x);
        VectorVar shifted = builder.add(clamped, TO_EXPONENT);
        VectorVar back = builder.sub(builder.sub(shifted, TO_EXPONENT), clamped);
        return powerOfTwo(shifted, back);
    }

    VectorVar reciprocal(ProgramValue x) {
        return builder.div(ONE, x);
    }

    VectorVar relu(ProgramValue x) {
        return builder.max(Constant.ZERO, x);
    }

    VectorVar negate(ProgramValue x) {
        return builder.binary(BinaryOp.XOR, x, Constant.ofBits(SIGN));
    }

    /** Returns the magnitude of one value with the sign of another. */
    VectorVar withSign(ProgramValue magnitude, ProgramValue sign) {
        VectorVar bit = builder.binary(BinaryOp.AND, sign, Constant.ofBits(SIGN));
        return builder.binary(BinaryOp.OR, magnitude, bit);
    }

    /** An argument of the exponential as {@code exp(x) = 2^exponent (1 + less)}. */
    record Reduced(VectorVar exponent, VectorVar less) {}

    Reduced reduce(ProgramValue x) {
        VectorVar n = builder.unary(UnaryOp.ROUND, builder.mul(x, of(LOG2_E)));
        VectorVar high = builder.multiplySubtract(n, of(LN2_HIGH), x);
        VectorVar r = builder.multiplySubtract(n, of(LN2_LOW), high);
        return new Reduced(n, builder.multiplyAdd(polynomial(r, EXP), builder.mul(r, r), r));
    }

    /**
     * Returns the exponential. The clamps are the arguments at which the result becomes infinite and rounds to zero.
     */
    VectorVar exp(ProgramValue x) {
        VectorVar clamped = builder.max(of(-104), builder.min(of(89), x));
        VectorVar n = builder.sub(builder.multiplyAdd(clamped, of(LOG2_E), TO_INTEGER), TO_INTEGER);
        return builder.binary(BinaryOp.SCALE, powerOfRest(back(clamped, 1, n)), n);
    }

    /** Returns the result, or the argument where that is zero, so that zeros keep their sign. */
    VectorVar withSignOfZero(VectorVar result, ProgramValue x) {
        return builder.select(builder.compare(Comparison.EQUAL, x, Constant.ZERO), x, result);
    }

    /** A positive float as {@code mantissa * 2^exponent}, with a mantissa from sqrt(1/2) to sqrt(2). */
    record Parts(VectorVar exponent, VectorVar mantissa) {}

    Parts split(ProgramValue x) {
        MaskVar subnormal = builder.compare(Comparison.LESS, x, Constant.of(Float.MIN_NORMAL));
        ProgramValue normal = builder.select(subnormal, builder.mul(x, of(0x1p23)), x);
        VectorVar exponentBits = builder.binary(BinaryOp.SHIFT_RIGHT, normal, Constant.ofBits(23));
        VectorVar bias = builder.select(subnormal, of(127 + 23), of(127));
        VectorVar exponent = builder.sub(builder.unary(UnaryOp.TO_FLOAT, exponentBits), bias);
        VectorVar bits = builder.binary(BinaryOp.AND, normal, Constant.ofBits(MANTISSA));
        VectorVar mantissa = builder.binary(BinaryOp.OR, bits, Constant.ofBits(ONE_BITS));
        MaskVar large = builder.compare(Comparison.GREATER, mantissa, of(Math.sqrt(2)));
        VectorVar m = builder.select(large, builder.mul(mantissa, of(0.5)), mantissa);
        VectorVar e = builder.select(large, builder.add(exponent, ONE), exponent);
        return new Parts(e, m);
    }

    VectorVar log(ProgramValue x) {
        Parts parts = split(x);
        VectorVar m = parts.mantissa();
        VectorVar e = parts.exponent();
        VectorVar f = builder.sub(m, ONE);
        VectorVar square = builder.mul(f, f);
        VectorVar cubic = builder.mul(builder.mul(polynomial(f, LOG), square), f);
        VectorVar low = builder.multiplyAdd(e, of(LN2_LOW), cubic);
        VectorVar rest = builder.multiplySubtract(square, of(0.5), low);
        VectorVar result = builder.multiplyAdd(e, of(LN2_HIGH), builder.add(f, rest));

        MaskVar infinite = builder.compare(Comparison.EQUAL, x, of(Double.POSITIVE_INFINITY));
        VectorVar upTo = builder.select(infinite, x, result);
        MaskVar zero = builder.compare(Comparison.EQUAL, x, Constant.ZERO);
        VectorVar fromZero = builder.select(zero, of(Double.NEGATIVE_INFINITY), upTo);
        MaskVar inDomain = builder.compare(Comparison.GREATER_OR_EQUAL, x, Constant.ZERO);
        return builder.select(inDomain, fromZero, Constant.of(Float.NaN));
    }

    /**
     * Returns the error function: near zero by a polynomial, elsewhere 1 minus the eighth power of one, up to the
     * argument at which the result is 1.
     */
    VectorVar erf(ProgramValue x) {
        VectorVar magnitude = builder.min(of(3.92), abs(x));
        VectorVar square = builder.mul(magnitude, magnitude);
        VectorVar near = builder.multiplyAdd(polynomial(square, ERF_NEAR), magnitude, magnitude);
        VectorVar root = polynomial(magnitude, ERF_FAR);
        VectorVar second = builder.mul(root, root);
        VectorVar fourth = builder.mul(second, second);
        VectorVar far = builder.multiplySubtract(fourth, fourth, ONE);
        MaskVar isFar = builder.compare(Comparison.GREATER, magnitude, of(ERF_MIDDLE));
        return withSign(builder.select(isFar, far, near), x);
    }

    /**
     * Returns the error function as a ratio of polynomials, with half the steps of {@link #erf}. The numerator begins
     * with x itself, not with a product.
     */
    VectorVar erfAsRatio(ProgramValue x) {
        VectorVar magnitude = builder.min(of(3.92), abs(x));
        VectorVar square = builder.mul(magnitude, magnitude);
        VectorVar cube = builder.mul(square, magnitude);
        VectorVar above = builder.multiplyAdd(polynomial(square, ERF_ABOVE), cube, magnitude);
        return withSign(builder.min(ONE, builder.div(above, polynomial(square, ERF_BELOW))), x);
    }

    /** Returns the hyperbolic tangent as a ratio of polynomials, up to the argument at which it is 1. */
    VectorVar tanh(ProgramValue x) {
        VectorVar magnitude = builder.min(of(9.02), abs(x));
        VectorVar square = builder.mul(magnitude, magnitude);
        VectorVar cube = builder.mul(square, magnitude);
        VectorVar above = builder.multiplyAdd(polynomial(square, TANH_ABOVE), cube, magnitude);
        VectorVar below = builder.multiplyAdd(polynomial(square, TANH_BELOW), square, ONE);
        return withSign(builder.min(ONE, builder.div(above, below)), x);
    }

    /** Returns {@code 1 / (1 + exp(-x))}, whose terms are both positive, so that small results keep their precision. */
    VectorVar sigmoid(ProgramValue x) {
        VectorVar clamped = builder.max(of(-LARGEST_EXPONENT), builder.min(of(-LEAST_EXPONENT), x));
        return builder.div(ONE, builder.add(shiftedPower(clamped, -1), ONE));
    }
}
