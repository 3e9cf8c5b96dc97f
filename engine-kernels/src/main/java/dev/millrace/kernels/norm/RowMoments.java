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
 * the mean, so that a large mean costs no precision. Rows that {@link RowScales} selects are measured again, with their
 * numbers scaled and the mean in two parts.
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
     * A mean of a row, in two parts.
     *
     * @param rest the rounding error of {@code value}; null where it was not computed
     */
    record Mean(VectorVar value, @Nullable VectorVar rest) {}

    /**
     * Returns moments of rows that are measured again. They are as slow as such rows are rare, in little code.
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

    /**
     * Returns the mean as a quotient: the mean of few equal numbers is that number. The sum of many is rounded, which the
     * mean distance from it makes up for.
     */
    Mean mean(ScalarVar row) {
        VectorVar sum = sum(row, (all, x, _) -> builder.binary(all, BinaryOp.ADD, all, brought(x)));
        VectorVar value = builder.div(sum, length);
        if (reach == null) {
            return new Mean(value, null);
        }
        VectorVar distances = sum(row, (all, x, mask) -> {
            ProgramValue distance = loop.orElse(mask, builder.sub(brought(x), value), Constant.ZERO);
            builder.binary(all, BinaryOp.ADD, all, distance);
        });
        return new Mean(value, builder.div(distances, length));
    }

    private VectorVar brought(VectorVar x) {
        return reach == null ? x : builder.mul(x, reach.before());
    }

    /** Returns the distance of a number from the mean, or from 0 without one. */
    VectorVar distance(VectorVar x, @Nullable Mean mean) {
        VectorVar distance = mean == null ? brought(x) : builder.sub(brought(x), mean.value());
        if (mean != null && mean.rest() != null) {
            distance = builder.sub(distance, mean.rest());
        }
        return reach == null ? distance : builder.mul(distance, reach.after());
    }

    /** Returns the mean of the squares of the distances from the mean, or from 0 without one. */
    VectorVar variance(ScalarVar row, @Nullable Mean mean) {
        VectorVar squares = sum(row, (all, x, mask) -> {
            VectorVar distance = distance(x, mean);
            ProgramValue counted = mean == null ? distance : loop.orElse(mask, distance, Constant.ZERO);
            builder.accumulate(all, counted, counted);
        });
        return builder.mul(squares, part);
    }

    /**
     * A variance of the row, with a number that belongs to the row as it is. What of that is lost in a row that was made
     * small counts only where the variance is 0: there it stays a number that can be divided by.
     */
    VectorVar with(VectorVar epsilon, VectorVar variance) {
        if (reach == null) {
            return builder.add(variance, epsilon);
        }
        VectorVar both = reach.both(builder);
        VectorVar brought = builder.mul(builder.mul(epsilon, both), both);
        VectorVar least = builder.min(epsilon, Constant.of(Float.MIN_NORMAL));
        return builder.add(variance, builder.max(brought, least));
    }

    /** Returns the factor of distances: the reciprocal of the deviation. */
    VectorVar factor(VectorVar variance) {
        return builder.div(Constant.of(1), builder.unary(UnaryOp.SQRT, variance));
    }

    /** Returns the mean of the unscaled row. */
    VectorVar unscaledMean(Mean mean) {
        VectorVar value = mean.rest() == null ? mean.value() : builder.add(mean.value(), mean.rest());
        return reach == null ? value : builder.div(value, reach.before());
    }

    /** Returns the factor of distances in the unscaled row. */
    VectorVar unscaledFactor(VectorVar factor) {
        return reach == null ? factor : builder.mul(factor, reach.both(builder));
    }
}
