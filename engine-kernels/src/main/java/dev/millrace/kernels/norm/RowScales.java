package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * Scale factors, powers of two, for a row that is measured again since its squares overflow or underflow as floats, or
 * its mean has to be exact: one that its numbers are multiplied by before the mean is subtracted, and one for after.
 * Large numbers are scaled down at once, since their sum may overflow, too; for small ones only the distances from the
 * mean are scaled up, since the mean need not be small.
 */
record RowScales(VectorVar before, VectorVar after) {
    /**
     * The sum below which squares that underflowed may matter: the smallest normal float, and its last place twice
     * over.
     */
    private static final Constant LEAST = Constant.of(0x1p-100f);

    private static final Constant MOST = Constant.of(Float.MAX_VALUE);
    private static final Constant DOWN = Constant.of(0x1p-80f);
    private static final Constant UP = Constant.of(0x1p90f);
    private static final Constant ONE = Constant.of(1);
    /**
     * The deviation, for a mean of 1, below which the mean has to be exact: the rounding error of a mean is then up to a
     * ten-thousandth of the deviation.
     */
    private static final Constant NARROW = Constant.of(0x1p-10f);

    /**
     * Returns a scalar that is 0 where squares have neither overflowed nor underflowed, and the mean is exact enough for
     * the deviation; it is the same in all lanes.
     *
     * @param mean null where none is subtracted
     * @param variance the variance without epsilon
     * @param sum the variance with epsilon
     */
    static ScalarVar isLeft(ProgramBuilder builder, RowMoments.@Nullable Mean mean, VectorVar variance, VectorVar sum) {
        VectorVar kept = builder.select(builder.compare(Comparison.LESS_OR_EQUAL, sum, MOST), sum, Constant.ZERO);
        if (mean != null) {
            VectorVar narrow = builder.mul(mean.value(), NARROW);
            MaskVar isNarrow = builder.compare(Comparison.LESS, variance, builder.mul(narrow, narrow));
            kept = builder.select(isNarrow, Constant.ZERO, kept);
        }
        return builder.movemask(builder.compare(Comparison.LESS, kept, LEAST));
    }

    /** Returns the scale factors for a row with the given mean of squares, epsilon included. */
    static RowScales of(ProgramBuilder builder, VectorVar sum) {
        MaskVar isFinite = builder.compare(Comparison.LESS_OR_EQUAL, sum, MOST);
        MaskVar isSmall = builder.compare(Comparison.LESS, sum, LEAST);
        return new RowScales(builder.select(isFinite, ONE, DOWN), builder.select(isSmall, UP, ONE));
    }

    /** The product of both factors, by which the numbers of the row are multiplied in the end. */
    VectorVar both(ProgramBuilder builder) {
        return builder.mul(before, after);
    }
}
