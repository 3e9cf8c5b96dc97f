package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Value;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.loops.RowLoop;
import org.jspecify.annotations.Nullable;

/**
 * Writes means of rows. The variance is of what is left when the mean is taken off, so that a large mean does not drown
 * it.
 */
final class RowMoments {
    private static final int UNROLL = 4;

    private final ProgramBuilder builder;
    private final RowLoop loop;
    private final ScalarVar count;
    private final VectorVar length;
    private final VectorVar part;

    /**
     * @param count elements of a row
     * @param length the same as a float
     */
    RowMoments(ProgramBuilder builder, ScalarVar count, VectorVar length) {
        this.builder = builder;
        this.count = count;
        this.length = length;
        part = builder.div(Constant.of(1), length);
        loop = new RowLoop(builder, UNROLL);
    }

    /** What a vector of the row adds to a sum; lanes outside of the row are zeros. */
    private interface Addend {
        void addTo(VectorVar sum, VectorVar x, @Nullable MaskVar mask);
    }

    private VectorVar sum(ScalarVar row, Addend addend) {
        VectorVar[] sums = loop.accumulators(Constant.ZERO);
        loop.over(count, (number, offset, displacement, mask) -> {
            addend.addTo(sums[number], builder.load(RowLoop.at(row, offset, displacement), mask), mask);
        });
        return loop.combine(BinaryOp.ADD, sums);
    }

    /** The mean is a quotient: that of equal numbers is one of them. */
    VectorVar mean(ScalarVar row) {
        VectorVar sum = sum(row, (all, x, _) -> builder.binary(all, BinaryOp.ADD, all, x));
        return builder.div(sum, length);
    }

    /** The mean of the squares of the distances from a number. */
    VectorVar variance(ScalarVar row, VectorVar mean) {
        VectorVar squares = sum(row, (all, x, mask) -> {
            Value distance = loop.orElse(mask, builder.sub(x, mean), Constant.ZERO);
            builder.accumulate(all, distance, distance);
        });
        return builder.mul(squares, part);
    }

    VectorVar meanOfSquares(ScalarVar row) {
        return builder.mul(sum(row, (all, x, _) -> builder.accumulate(all, x, x)), part);
    }
}
