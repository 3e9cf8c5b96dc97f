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
 * The writer of sines, cosines, tangents and their inverses as steps: Cody-Waite range reduction and minimax
 * polynomials.
 */
final class Trigonometry {
    private static final Constant ONE = Constant.of(1);
    private static final Constant HALF = Constant.of(0.5f);
    private static final Constant INT_ONE = Constant.ofBits(1);
    private static final Constant QUARTERS_PER_UNIT = Constant.of((float) (2 / Math.PI));
    /**
     * pi/2 in three parts (Cody and Waite); the products of the first ones with integers up to 2^23 leave exact rests.
     */
    static final Constant[] QUARTER = {Constant.of(1.5707964f), Constant.of(-4.371139e-8f), Constant.of(-1.7151245e-15f)
    };

    /** Coefficients of (sin(x)/x - 1) / x^2 in x^2, for |x| up to pi/4. */
    private static final float[] SIN = {-0.16666667f, 0.00833338f, -0.00019853484f, 2.836953e-06f};
    /** Coefficients of (cos(x) - 1 + x^2/2) / x^4 in x^2, for |x| up to pi/4. */
    private static final float[] COS = {0.041666668f, -0.0013888981f, 2.4822484e-05f, -2.8925317e-07f};
    /** Coefficients of (asin(x)/x - 1) / x^2 in x^2, for |x| up to 1/2. */
    private static final float[] ASIN = {0.1666666f, 0.075005196f, 0.04451414f, 0.03183035f, 0.014355709f, 0.037629668f
    };
    /** Coefficients of (atan(x)/x - 1) / x^2 in x^2, for |x| up to tan(pi/8). */
    private static final float[] ATAN = {-0.33333316f, 0.19998531f, -0.14244471f, 0.105998464f, -0.06091866f};

    private final ProgramBuilder builder;
    private final MathSteps math;

    Trigonometry(ProgramBuilder builder) {
        this.builder = builder;
        this.math = new MathSteps(builder);
    }

    /** Returns {@code x + x^3 p(x^2)}. */
    private VectorVar odd(VectorVar x, VectorVar square, float[] coefficients) {
        VectorVar more = builder.mul(math.polynomial(square, coefficients), square);
        return builder.multiplyAdd(more, x, x);
    }

    /** An angle as a number of quarter turns, with the sine and the cosine of the rest. */
    private record Turn(VectorVar quarters, VectorVar sin, VectorVar cos) {}

    private Turn turn(ProgramValue x) {
        VectorVar quarters = builder.vector("quarters");
        VectorVar rest = builder.vector("rest");
        try (var _ = builder.ifNotZero(builder.movemask(isLarge(x)))) {
            LargeAngles.Turn turn = LargeAngles.turn(builder, x);
            small(x, quarters, rest);
            MaskVar large = isLarge(x);
            builder.set(quarters, builder.select(large, turn.quarters(), quarters));
            builder.set(rest, builder.select(large, turn.rest(), rest));
        }
        try (var _ = builder.otherwise()) {
            small(x, quarters, rest);
        }
        VectorVar square = builder.mul(rest, rest);
        VectorVar fourth = builder.mul(math.polynomial(square, COS), square);
        VectorVar first = builder.multiplySubtract(square, HALF, ONE);
        VectorVar lost = builder.multiplySubtract(square, HALF, builder.sub(ONE, first));
        VectorVar cos = builder.add(first, builder.multiplyAdd(fourth, square, lost));
        return new Turn(builder.unary(UnaryOp.TO_INT, quarters), odd(rest, square, SIN), cos);
    }

    private MaskVar isLarge(ProgramValue x) {
        return builder.compare(Comparison.GREATER, math.abs(x), LargeAngles.LEAST);
    }

    /** Reduces angles up to {@link LargeAngles#LEAST} to quarter turns and a rest. */
    private void small(ProgramValue x, VectorVar quarters, VectorVar rest) {
        builder.set(quarters, builder.unary(UnaryOp.ROUND, builder.mul(x, QUARTERS_PER_UNIT)));
        VectorVar most = builder.multiplySubtract(quarters, QUARTER[0], x);
        VectorVar more = builder.multiplySubtract(quarters, QUARTER[1], most);
        builder.set(rest, builder.multiplySubtract(quarters, QUARTER[2], more));
    }

    private MaskVar isOdd(VectorVar number) {
        return builder.compare(Comparison.INT_EQUAL, builder.binary(BinaryOp.AND, number, INT_ONE), INT_ONE);
    }

    /** Returns the sine after the given number of quarter turns. */
    private VectorVar sin(Turn turn, VectorVar quarters) {
        VectorVar value = builder.select(isOdd(quarters), turn.cos(), turn.sin());
        VectorVar half = builder.binary(BinaryOp.SHIFT_RIGHT, quarters, INT_ONE);
        return builder.binary(BinaryOp.XOR, value, builder.binary(BinaryOp.SHIFT_LEFT, half, Constant.ofBits(31)));
    }

    VectorVar sin(ProgramValue x) {
        Turn turn = turn(x);
        return math.withSignOfZero(sin(turn, turn.quarters()), x);
    }

    VectorVar cos(ProgramValue x) {
        Turn turn = turn(x);
        return sin(turn, builder.binary(BinaryOp.INT_ADD, turn.quarters(), INT_ONE));
    }

    VectorVar tan(ProgramValue x) {
        Turn turn = turn(x);
        MaskVar odd = isOdd(turn.quarters());
        VectorVar above = builder.select(odd, math.negate(turn.cos()), turn.sin());
        VectorVar below = builder.select(odd, turn.sin(), turn.cos());
        return math.withSignOfZero(builder.div(above, below), x);
    }

    /**
     * Returns the arc sine of a half at most: of x itself, or of sqrt((1-|x|)/2), twice whose arc sine is pi/2 minus
     * that of |x|.
     */
    private VectorVar halfArc(VectorVar magnitude, MaskVar large) {
        VectorVar apart = builder.mul(builder.sub(ONE, magnitude), HALF);
        VectorVar square = builder.select(large, apart, builder.mul(magnitude, magnitude));
        VectorVar sine = builder.select(large, builder.unary(UnaryOp.SQRT, apart), magnitude);
        return odd(sine, square, ASIN);
    }

    /** Returns pi/2 minus an angle. */
    private VectorVar complement(VectorVar angle) {
        return builder.add(builder.sub(QUARTER[0], angle), QUARTER[1]);
    }

    VectorVar asin(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        MaskVar large = builder.compare(Comparison.GREATER, magnitude, HALF);
        VectorVar arc = halfArc(magnitude, large);
        return math.withSign(builder.select(large, complement(builder.add(arc, arc)), arc), x);
    }

    VectorVar acos(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        MaskVar large = builder.compare(Comparison.GREATER, magnitude, HALF);
        VectorVar arc = halfArc(magnitude, large);
        VectorVar twice = builder.add(arc, arc);
        VectorVar pi = builder.add(QUARTER[0], QUARTER[0]);
        VectorVar piRest = builder.add(QUARTER[1], QUARTER[1]);
        MaskVar negative = builder.compare(Comparison.LESS, x, Constant.ZERO);
        VectorVar turned = builder.add(builder.sub(pi, twice), piRest);
        VectorVar ofLarge = builder.select(negative, turned, twice);
        return builder.select(large, ofLarge, complement(math.withSign(arc, x)));
    }

    /** Returns the arc tangent. A large tangent is first rotated by a quarter or an eighth of a turn. */
    VectorVar atan(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        MaskVar large = builder.compare(Comparison.GREATER, magnitude, Constant.of((float) (1 + Math.sqrt(2))));
        MaskVar middle = builder.compare(Comparison.GREATER, magnitude, Constant.of((float) (Math.sqrt(2) - 1)));
        VectorVar above = builder.select(middle, builder.sub(magnitude, ONE), magnitude);
        VectorVar below = builder.select(middle, builder.add(magnitude, ONE), ONE);
        VectorVar tangent =
                builder.div(builder.select(large, Constant.of(-1), above), builder.select(large, magnitude, below));
        VectorVar start = builder.select(middle, builder.mul(QUARTER[0], HALF), Constant.ZERO);
        VectorVar startRest = builder.select(middle, builder.mul(QUARTER[1], HALF), Constant.ZERO);
        VectorVar arc = odd(tangent, builder.mul(tangent, tangent), ATAN);
        VectorVar sum = builder.add(
                builder.add(arc, builder.select(large, QUARTER[1], startRest)),
                builder.select(large, QUARTER[0], start));
        return math.withSign(sum, x);
    }
}
