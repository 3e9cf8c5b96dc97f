package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;

/**
 * Powers of two that bring a row to where the squares of its numbers are floats: one that its numbers are multiplied by
 * before the mean is taken off, and one for after. Large numbers are made small at once, since their sum may overflow,
 * too; of small ones only the distances are made large, since the mean need not be small.
 */
record Reach(VectorVar before, VectorVar after) {
    /** Below it squares that were lost may count: the smallest that is a full float, and its last place twice over. */
    private static final Constant LEAST = Constant.of(0x1p-100f);

    private static final Constant MOST = Constant.of(Float.MAX_VALUE);
    private static final Constant DOWN = Constant.of(0x1p-80f);
    private static final Constant UP = Constant.of(0x1p90f);
    private static final Constant ONE = Constant.of(1);

    /** A scalar that is 0 where squares have neither overflowed nor vanished in a sum, the same in all lanes. */
    static ScalarVar isLeft(ProgramBuilder builder, VectorVar sum) {
        VectorVar finite = builder.select(builder.compare(Comparison.LESS_OR_EQUAL, sum, MOST), sum, Constant.ZERO);
        return builder.laneBits(builder.compare(Comparison.LESS, finite, LEAST));
    }

    /** What brings a row back whose squares have such a sum. */
    static Reach of(ProgramBuilder builder, VectorVar sum) {
        var isSmall = builder.compare(Comparison.LESS, sum, LEAST);
        return new Reach(builder.select(isSmall, ONE, DOWN), builder.select(isSmall, UP, ONE));
    }

    /** What numbers of the row have been multiplied by in the end. */
    VectorVar both(ProgramBuilder builder) {
        return builder.mul(before, after);
    }
}
