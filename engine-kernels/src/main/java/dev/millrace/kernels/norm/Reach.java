package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are measured again, and the powers of two that bring them to where the squares of their numbers are floats:
 * one that its numbers are multiplied by before the mean is taken off, and one for after. Large numbers are made small at
 * once, since their sum may overflow, too; of small ones only the distances are made large, since the mean need not be
 * small.
 */
record Reach(VectorVar before, VectorVar after) {
    /** Below it squares that were lost may count: the smallest that is a full float, and its last place twice over. */
    private static final Constant LEAST = Constant.of(0x1p-100f);

    private static final Constant MOST = Constant.of(Float.MAX_VALUE);
    private static final Constant DOWN = Constant.of(0x1p-80f);
    private static final Constant UP = Constant.of(0x1p90f);
    private static final Constant ONE = Constant.of(1);
    /** The deviation of a row whose mean is 1 and has to be exact: what rounding adds to a mean is a ten-thousandth. */
    private static final Constant NARROW = Constant.of(0x1p-10f);

    /**
     * A scalar that is 0 where squares have neither overflowed nor vanished, and the mean is exact enough for what lies
     * around it; the same in all lanes.
     *
     * @param mean null where none is taken off
     * @param variance without what is added to it
     * @param sum with what is added to it
     */
    static ScalarVar isLeft(ProgramBuilder builder, RowMoments.@Nullable Mean mean, VectorVar variance, VectorVar sum) {
        VectorVar kept = builder.select(builder.compare(Comparison.LESS_OR_EQUAL, sum, MOST), sum, Constant.ZERO);
        if (mean != null) {
            VectorVar narrow = builder.mul(mean.value(), NARROW);
            MaskVar isNarrow = builder.compare(Comparison.LESS, variance, builder.mul(narrow, narrow));
            kept = builder.select(isNarrow, Constant.ZERO, kept);
        }
        return builder.laneBits(builder.compare(Comparison.LESS, kept, LEAST));
    }

    /** What brings a row back whose squares, with what is added to them, have such a sum. */
    static Reach of(ProgramBuilder builder, VectorVar sum) {
        MaskVar isFinite = builder.compare(Comparison.LESS_OR_EQUAL, sum, MOST);
        MaskVar isSmall = builder.compare(Comparison.LESS, sum, LEAST);
        return new Reach(builder.select(isFinite, ONE, DOWN), builder.select(isSmall, UP, ONE));
    }

    /** What numbers of the row have been multiplied by in the end. */
    VectorVar both(ProgramBuilder builder) {
        return builder.mul(before, after);
    }
}
