package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.rows.RowLoop;
import org.jspecify.annotations.Nullable;

/**
 * The writer of means and variances of rows by the two-pass algorithm: the variance is computed from the distances from
 * the mean, so that a large mean costs no precision.
 */
final class RowMoments {
    private static final int UNROLL = 4;

    private final ProgramBuilder builder;
    private final RowLoop loop;
    private final ScalarVar count;
    private final VectorVar length;
    private final VectorVar part;
    private final @Nullable RowScales reach;

    /**
     * @param count elements of a row
     * @param length their number as a float
     */
    RowMoments(ProgramBuilder builder, ScalarVar count, VectorVar length) {
        this(builder, count, length, UNROLL, null);
    }

    private RowMoments(
            ProgramBuilder builder, ScalarVar count, VectorVar length, int unroll, @Nullable RowScales reach) {
        this.builder = builder;
        this.count = count;
        this.length = length;
        this.reach = reach;
        part = builder.div(Constant.of(1), length);
        loop = new RowLoop(builder, unroll);
    }

    /**
     * Returns moments of rows whose squares have to be scaled. They are as slow as such rows are rare, in little code.
     */
    RowMoments within(RowScales bounds) {
        return new RowMoments(builder, count, length, 1, bounds);
    }

    RowLoop loop() {
        return loop;
    }

    /** The term that a vector of the row adds to a sum; lanes outside of the row are zeros. */
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

    /** Returns the mean. It is computed as a quotient, so that the mean of equal numbers is that number. */
    VectorVar mean(ScalarVar row) {
        VectorVar sum = sum(row, (all, x, _) -> builder.binary(all, BinaryOp.ADD, all, brought(x)));
        return builder.div(sum, length);
    }

    private VectorVar brought(VectorVar x) {
        return reach == null ? x : builder.mul(x, reach.before());
    }

    /** Returns the distance of a number from the mean, or from 0 without one. */
    VectorVar distance(VectorVar x, @Nullable VectorVar mean) {
        VectorVar distance = mean == null ? brought(x) : builder.sub(brought(x), mean);
        return reach == null ? distance : builder.mul(distance, reach.after());
    }

    /** Returns the mean of the squares of the distances from the mean, or from 0 without one, plus a number. */
    VectorVar variance(ScalarVar row, @Nullable VectorVar mean, VectorVar epsilon) {
        VectorVar squares = sum(row, (all, x, mask) -> {
            VectorVar distance = distance(x, mean);
            ProgramValue counted = mean == null ? distance : loop.orElse(mask, distance, Constant.ZERO);
            builder.accumulate(all, counted, counted);
        });
        VectorVar variance = builder.mul(squares, part);
        if (reach == null) {
            return builder.add(variance, epsilon);
        }
        VectorVar both = reach.both(builder);
        return builder.add(variance, builder.mul(builder.mul(epsilon, both), both));
    }

    /** Returns the factor of distances: the reciprocal of the deviation. */
    VectorVar factor(VectorVar variance) {
        return builder.div(Constant.of(1), builder.unary(UnaryOp.SQRT, variance));
    }

    /** Returns the mean of the unscaled row. */
    VectorVar given(VectorVar mean) {
        return reach == null ? mean : builder.div(mean, reach.before());
    }

    /** Returns the factor of distances in the unscaled row. */
    VectorVar givenFactor(VectorVar factor) {
        return reach == null ? factor : builder.mul(factor, reach.both(builder));
    }
}
