package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;

/**
 * Scale factors, powers of two, for a row whose squares overflow or underflow as floats: one that its numbers are
 * multiplied by before the mean is subtracted, and one for after. Large numbers are scaled down at once, since their
 * sum may overflow, too; for small ones only the distances from the mean are scaled up, since the mean need not be
 * small.
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
     * Returns a scalar that is 0 where squares have neither overflowed nor underflowed in a sum, which is the same in
     * all lanes.
     */
    static ScalarVar isLeft(ProgramBuilder builder, VectorVar sum) {
        VectorVar finite = builder.select(builder.compare(Comparison.LESS_OR_EQUAL, sum, MOST), sum, Constant.ZERO);
        return builder.movemask(builder.compare(Comparison.LESS, finite, LEAST));
    }

    /** Returns the scale factors for a row with the given sum of squares. */
    static RowScales of(ProgramBuilder builder, VectorVar sum) {
        var isSmall = builder.compare(Comparison.LESS, sum, LEAST);
        return new RowScales(builder.select(isSmall, ONE, DOWN), builder.select(isSmall, UP, ONE));
    }

    /** The product of both factors, by which the numbers of the row are multiplied in the end. */
    VectorVar both(ProgramBuilder builder) {
        return builder.mul(before, after);
    }
}
