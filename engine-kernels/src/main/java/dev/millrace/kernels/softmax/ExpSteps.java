package dev.millrace.kernels.softmax;

import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.Value;
import dev.millrace.kernels.program.VectorVar;

/**
 * Writes the exponential of what is at most 0, within 2 units of the last place; results below the smallest normal
 * number are 0, also of negative infinity. NaN passes. Cheaper than the exponential of any number.
 */
final class ExpSteps {
    /** Added, it leaves the nearest integer plus 127 in the lowest bits. */
    private static final Constant TO_EXPONENT = Constant.of(0x1.8p23f + 127);

    private static final Constant LEAST = Constant.of(-88.029692f);
    private static final Constant LOG2_E = Constant.of(1.442695f);
    /** ln 2 in two parts; the first has so few bits that its products with exponents are exact. */
    private static final Constant LN2_HIGH = Constant.of(0.6933594f);

    private static final Constant LN2_LOW = Constant.of(-0.00021219444f);
    private static final Constant MANTISSA_BITS = Constant.ofBits(23);
    private static final Constant ONE = Constant.of(1);
    /** (exp(r) - 1 - r) / r^2 for |r| up to ln(2)/2. */
    private static final float[] POWER = {0.49999994f, 0.16666521f, 0.04166839f, 0.008368735f, 0.001381456f};

    private final ProgramBuilder builder;

    ExpSteps(ProgramBuilder builder) {
        this.builder = builder;
    }

    VectorVar of(Value x) {
        VectorVar clamped = builder.max(LEAST, x);
        VectorVar shifted = builder.multiplyAdd(clamped, LOG2_E, TO_EXPONENT);
        VectorVar scale = builder.binary(BinaryOp.SHIFT_LEFT, shifted, MANTISSA_BITS);
        VectorVar n = builder.sub(shifted, TO_EXPONENT);
        VectorVar high = builder.multiplySubtract(n, LN2_HIGH, clamped);
        VectorVar r = builder.multiplySubtract(n, LN2_LOW, high);
        VectorVar sum = builder.multiplyAdd(Constant.of(POWER[4]), r, Constant.of(POWER[3]));
        for (int i = 2; i >= 0; i--) {
            sum = builder.multiplyAdd(sum, r, Constant.of(POWER[i]));
        }
        VectorVar square = builder.mul(r, r);
        VectorVar small = builder.multiplyAdd(sum, square, r);
        return builder.mul(builder.add(small, ONE), scale);
    }
}
