package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/** Writes powers: 2 to the product of the exponent and a logarithm in two parts, since its error is multiplied. */
final class PowerSteps {
    private static final Constant ONE = Constant.of(1);
    private static final Constant INFINITY = Constant.of(Float.POSITIVE_INFINITY);
    /** Beyond it no base but 1 has a power that is neither 0 nor infinite. */
    private static final float MOST_EXPONENT = 0x1p40f;

    private static final float MOST_POWER = 160;
    /** 2 / ln 2 in two parts. */
    private static final float SCALE = (float) (2 / Math.log(2));

    private static final float SCALE_REST = (float) (2 / Math.log(2) - SCALE);
    /** (atanh(s)/s - 1) / s^2 in s^2. */
    private static final float[] ATANH = {1 / 3f, 1 / 5f, 1 / 7f, 1 / 9f, 1 / 11f};
    /** (2^r - 1) / r: the series. */
    private static final float[] POWER = {
        0.6931472f, 0.24022651f, 0.05550411f, 0.009618129f, 0.0013333558f, 0.00015403531f, 1.5252734e-5f
    };

    private final ProgramBuilder builder;
    private final MathSteps math;

    PowerSteps(ProgramBuilder builder) {
        this.builder = builder;
        this.math = new MathSteps(builder);
    }

    private record Sum(VectorVar high, VectorVar low) {}

    VectorVar power(ProgramValue x, ProgramValue y) {
        VectorVar base = math.abs(x);
        ProgramValue exponent = builder.min(Constant.of(MOST_EXPONENT), builder.max(Constant.of(-MOST_EXPONENT), y));
        VectorVar ofMagnitude = edges(base, y, exp2(times(exponent, log2(base))));
        VectorVar ofNegative = ofNegative(y, x, ofMagnitude);
        VectorVar sign = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, x, Constant.ofBits(31));
        MaskVar negative = builder.compare(Comparison.INT_GREATER, Constant.ZERO, sign);
        VectorVar result = builder.select(negative, ofNegative, ofMagnitude);
        VectorVar ofOne = builder.select(builder.compare(Comparison.EQUAL, x, ONE), ONE, result);
        return builder.select(builder.compare(Comparison.EQUAL, y, Constant.ZERO), ONE, ofOne);
    }

    /** The powers of zero and infinity, and NaN. */
    private VectorVar edges(VectorVar base, ProgramValue y, VectorVar power) {
        MaskVar rises = builder.compare(Comparison.GREATER, y, Constant.ZERO);
        VectorVar ofZero = builder.select(rises, Constant.ZERO, INFINITY);
        VectorVar ofInfinity = builder.select(rises, INFINITY, Constant.ZERO);
        MaskVar zero = builder.compare(Comparison.EQUAL, base, Constant.ZERO);
        VectorVar notZero = builder.select(zero, ofZero, power);
        MaskVar infinite = builder.compare(Comparison.EQUAL, base, INFINITY);
        VectorVar finite = builder.select(infinite, ofInfinity, notZero);
        return builder.select(builder.compare(Comparison.UNORDERED, base, y), Constant.of(Float.NaN), finite);
    }

    /** Negative for odd exponents; other bases than zero and infinity have no powers that are no integers. */
    private VectorVar ofNegative(ProgramValue y, ProgramValue x, VectorVar power) {
        MaskVar integral = builder.compare(Comparison.EQUAL, builder.unary(UnaryOp.TRUNCATE, y), y);
        VectorVar half = builder.mul(y, Constant.of(0.5f));
        MaskVar even = builder.compare(Comparison.EQUAL, builder.unary(UnaryOp.TRUNCATE, half), half);
        VectorVar signed = builder.select(even, power, math.negate(power));
        VectorVar difference = builder.sub(x, x);
        VectorVar notANumber = builder.div(difference, difference);
        MaskVar infinite = builder.compare(Comparison.UNORDERED, difference, difference);
        VectorVar otherwise = builder.select(infinite, power, notANumber);
        MaskVar zero = builder.compare(Comparison.EQUAL, x, Constant.ZERO);
        return builder.select(integral, signed, builder.select(zero, power, otherwise));
    }

    /** The exponent of a float plus 2/ln 2 atanh((m-1)/(m+1)) of its mantissa. */
    private Sum log2(ProgramValue base) {
        MathSteps.Parts parts = math.split(base);
        VectorVar above = builder.sub(parts.mantissa(), ONE);
        VectorVar below = builder.add(parts.mantissa(), ONE);
        VectorVar belowRest = builder.sub(parts.mantissa(), builder.sub(below, ONE));
        VectorVar s = builder.div(above, below);
        VectorVar left = builder.multiplySubtract(s, belowRest, builder.multiplySubtract(s, below, above));
        VectorVar rest = builder.div(left, below);
        VectorVar square = builder.mul(s, s);
        VectorVar more = builder.mul(builder.mul(math.polynomial(square, ATANH), square), s);

        VectorVar high = builder.mul(s, Constant.of(SCALE));
        VectorVar exact = math.negate(builder.multiplySubtract(s, Constant.of(SCALE), high));
        VectorVar small = builder.multiplyAdd(builder.add(rest, more), Constant.of(SCALE), exact);
        VectorVar low = builder.multiplyAdd(s, Constant.of(SCALE_REST), small);
        VectorVar sum = builder.add(parts.exponent(), high);
        VectorVar lost = builder.sub(high, builder.sub(sum, parts.exponent()));
        return new Sum(sum, builder.add(low, lost));
    }

    private Sum times(ProgramValue y, Sum log) {
        VectorVar high = builder.mul(y, log.high());
        VectorVar exact = math.negate(builder.multiplySubtract(y, log.high(), high));
        return new Sum(high, builder.multiplyAdd(y, log.low(), exact));
    }

    private VectorVar exp2(Sum power) {
        VectorVar high = builder.min(Constant.of(MOST_POWER), builder.max(Constant.of(-MOST_POWER), power.high()));
        VectorVar n = builder.unary(UnaryOp.ROUND, high);
        VectorVar low = builder.min(Constant.of(1), builder.max(Constant.of(-1), power.low()));
        VectorVar r = builder.add(builder.sub(high, n), low);
        VectorVar fraction = builder.multiplyAdd(math.polynomial(r, POWER), r, ONE);
        return builder.binary(BinaryOp.SCALE, fraction, n);
    }
}
