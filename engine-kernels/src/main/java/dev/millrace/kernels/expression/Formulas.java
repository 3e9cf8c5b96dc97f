package dev.millrace.kernels.expression;

import static dev.millrace.kernels.expression.Expr.number;

/** Functions that are expressions of simpler ones. */
public final class Formulas {
    /** The number of bits of a shift distance below 32. */
    private static final int SHIFT_BITS = 5;

    private Formulas() {}

    private static Expr zero(Expr x) {
        return new Expr.Literal(0, x.kind());
    }

    private static Expr positive(Expr x) {
        return x.combine(Operator.GREATER, zero(x));
    }

    /** Returns {@code log(1 + exp(x))}. */
    public static Expr softplus(Expr x) {
        Expr small = x.apply(FloatFunction.ABS)
                .apply(FloatFunction.NEGATE)
                .apply(FloatFunction.EXP)
                .apply(FloatFunction.LOG1P);
        return x.max(number(0)).plus(small);
    }

    /** Returns {@code x / (1 + |x|)}. */
    public static Expr softsign(Expr x) {
        return x.over(x.apply(FloatFunction.ABS).plus(number(1)));
    }

    /** Returns {@code x > 0 ? x : alpha (exp(x) - 1)}. */
    public static Expr elu(Expr x, float alpha) {
        return positive(x).choose(x, x.apply(FloatFunction.EXPM1).times(number(alpha)));
    }

    /** Returns {@code alpha x + beta}, clipped to the range from 0 to 1. */
    public static Expr hardSigmoid(Expr x, float alpha, float beta) {
        return clip(x.times(number(alpha)).plus(number(beta)), number(0), number(1));
    }

    public static Expr hardSwish(Expr x) {
        return x.times(hardSigmoid(x, 1 / 6f, 0.5f));
    }

    /** Returns the approximation of {@link Expr#gelu} by a tanh: {@code x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3))}. */
    public static Expr geluTanh(Expr x) {
        float factor = (float) (2 * Math.sqrt(2 / Math.PI));
        Expr inner = x.times(x)
                .times(number(0.044715f * factor))
                .plus(number(factor))
                .times(x);
        return x.times(inner.apply(FloatFunction.SIGMOID));
    }

    /** Returns {@code x < 0 ? slope x : x}. */
    public static Expr leakyRelu(Expr x, Expr slope) {
        return x.combine(Operator.LESS, zero(x)).choose(x.times(slope), x);
    }

    public static Expr thresholdedRelu(Expr x, float alpha) {
        return x.combine(Operator.GREATER, number(alpha)).choose(x, number(0));
    }

    public static Expr clip(Expr x, Expr least, Expr most) {
        return x.max(least).min(most);
    }

    /** Returns -1, 0 or 1; NaN for NaN. */
    public static Expr sign(Expr x) {
        boolean ints = x.kind() == Kind.INT;
        Expr one = ints ? Expr.integer(1) : number(1);
        Expr minusOne = ints ? Expr.integer(-1) : number(-1);
        Expr upToZero = x.combine(Operator.LESS, zero(x)).choose(minusOne, x);
        return positive(x).choose(one, upToZero);
    }

    public static Expr negate(Expr x) {
        return x.kind() == Kind.INT ? Expr.integer(0).minus(x) : x.apply(FloatFunction.NEGATE);
    }

    public static Expr abs(Expr x) {
        return x.kind() == Kind.INT ? x.max(negate(x)) : x.apply(FloatFunction.ABS);
    }

    public static Expr relu(Expr x) {
        return x.kind() == Kind.INT ? x.max(zero(x)) : x.apply(FloatFunction.RELU);
    }

    public static Expr isNaN(Expr x) {
        return x.combine(Operator.NOT_EQUAL, x);
    }

    /** Whether a number is infinite, with a sign that is asked for. */
    public static Expr isInfinite(Expr x, boolean positive, boolean negative) {
        Expr up = x.combine(Operator.EQUAL, number(Float.POSITIVE_INFINITY));
        Expr down = x.combine(Operator.EQUAL, number(Float.NEGATIVE_INFINITY));
        Expr none = Expr.truth(false);
        return (positive ? up : none).combine(Operator.OR, negative ? down : none);
    }

    public static Expr not(Expr x) {
        return x.combine(Operator.XOR, x.kind() == Kind.BOOL ? Expr.truth(true) : Expr.integer(-1));
    }

    /** Returns the remainder of a division that rounds down: it has the sign of the divisor. */
    public static Expr modulo(Expr x, Expr divisor) {
        Expr rest = x.combine(Operator.REMAINDER, divisor);
        Expr signsDiffer = rest.combine(Operator.LESS, zero(x))
                .combine(Operator.NOT_EQUAL, divisor.combine(Operator.LESS, zero(x)));
        Expr wrong = rest.combine(Operator.NOT_EQUAL, zero(x)).combine(Operator.AND, signsDiffer);
        return wrong.choose(rest.plus(divisor), rest);
    }

    /** Returns an int shifted to the left by another one; zero where that is not from 0 to 31. */
    public static Expr shiftLeft(Expr x, Expr by) {
        Expr shifted = x;
        for (int bit = 0; bit < SHIFT_BITS; bit++) {
            Expr factor = hasBit(by, bit).choose(Expr.integer(1 << (1 << bit)), Expr.integer(1));
            shifted = shifted.times(factor);
        }
        return isShift(by).choose(shifted, Expr.integer(0));
    }

    /** Returns an int from 0 to 2^24 shifted to the right by another one; zero where that is not from 0 to 31. */
    public static Expr shiftRight(Expr x, Expr by) {
        Expr shifted = x.to(Kind.FLOAT);
        for (int bit = 0; bit < SHIFT_BITS; bit++) {
            Expr factor = hasBit(by, bit).choose(number(Math.scalb(1f, -(1 << bit))), number(1));
            shifted = shifted.times(factor);
        }
        return isShift(by).choose(shifted.to(Kind.INT), Expr.integer(0));
    }

    private static Expr hasBit(Expr x, int bit) {
        return x.combine(Operator.AND, Expr.integer(1 << bit)).combine(Operator.NOT_EQUAL, Expr.integer(0));
    }

    private static Expr isShift(Expr by) {
        Expr beyond = by.combine(Operator.AND, Expr.integer(-(1 << SHIFT_BITS)));
        return beyond.combine(Operator.EQUAL, Expr.integer(0));
    }
}
