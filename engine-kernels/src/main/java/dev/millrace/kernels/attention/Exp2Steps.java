package dev.millrace.kernels.attention;

import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.Value;
import dev.millrace.kernels.program.VectorVar;

/**
 * Writes powers of two of what is at most 1, within 2 units of the last place: below {@code 2^-126} they are 0, also of
 * negative infinity. NaN passes.
 */
final class Exp2Steps {
    /** Added, it leaves the nearest integer plus 127 in the lowest bits. */
    private static final Constant TO_EXPONENT = Constant.of(0x1.8p23f + 127);

    private static final Constant MANTISSA_BITS = Constant.ofBits(23);
    private static final Constant ONE = Constant.of(1);
    /** (2^r - 1) / r for |r| up to 1/2: minimax of the relative error. */
    private static final float[] POWER = {0.693147f, 0.24022242f, 0.055507336f, 0.009671513f, 0.0013264727f};

    private final ProgramBuilder builder;

    Exp2Steps(ProgramBuilder builder) {
        this.builder = builder;
    }

    VectorVar of(Value x) {
        VectorVar clamped = builder.max(Constant.of(-127), x);
        VectorVar shifted = builder.add(clamped, TO_EXPONENT);
        VectorVar scale = builder.binary(BinaryOp.SHIFT_LEFT, shifted, MANTISSA_BITS);
        VectorVar r = builder.sub(clamped, builder.sub(shifted, TO_EXPONENT));
        VectorVar sum = builder.multiplyAdd(Constant.of(POWER[4]), r, Constant.of(POWER[3]));
        for (int i = 2; i >= 0; i--) {
            sum = builder.multiplyAdd(sum, r, Constant.of(POWER[i]));
        }
        return builder.mul(builder.multiplyAdd(sum, r, ONE), scale);
    }
}
