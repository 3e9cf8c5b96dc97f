package dev.millrace.kernels.norm;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.Value;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.loops.RowLoop;
import org.jspecify.annotations.Nullable;

/**
 * Writes means of rows. The variance is of what is left when the mean is taken off, so that a large mean does not drown
 * it. Rows that {@link Reach} names are measured again: brought to where their squares are floats, and by a mean that is
 * exact.
 */
final class RowMoments {
    private static final int UNROLL = 4;

    private final ProgramBuilder builder;
    private final RowLoop loop;
    private final ScalarVar count;
    private final VectorVar length;
    private final VectorVar part;
    private final @Nullable Reach reach;

    /**
     * @param count elements of a row
     * @param length the same as a float
     */
    RowMoments(ProgramBuilder builder, ScalarVar count, VectorVar length) {
        this(builder, count, length, UNROLL, null);
    }

    private RowMoments(ProgramBuilder builder, ScalarVar count, VectorVar length, int unroll, @Nullable Reach reach) {
        this.builder = builder;
        this.count = count;
        this.length = length;
        this.reach = reach;
        part = builder.div(Constant.of(1), length);
        loop = new RowLoop(builder, unroll);
    }

    /**
     * The mean of a row, in two parts.
     *
     * @param rest what rounding has kept from {@code value}; null where it was not looked for
     */
    record Mean(VectorVar value, @Nullable VectorVar rest) {}

    /** The same of rows that are measured again: as slow as they are rare, in little code. */
    RowMoments within(Reach bounds) {
        return new RowMoments(builder, count, length, 1, bounds);
    }

    RowLoop loop() {
        return loop;
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

    /**
     * The mean as a quotient: of few equal numbers it is one of them. Of many the sum is rounded; the mean distance from
     * it makes up for that.
     */
    Mean mean(ScalarVar row) {
        VectorVar sum = sum(row, (all, x, _) -> builder.binary(all, BinaryOp.ADD, all, brought(x)));
        VectorVar value = builder.div(sum, length);
        if (reach == null) {
            return new Mean(value, null);
        }
        VectorVar distances = sum(row, (all, x, mask) -> {
            Value distance = loop.orElse(mask, builder.sub(brought(x), value), Constant.ZERO);
            builder.binary(all, BinaryOp.ADD, all, distance);
        });
        return new Mean(value, builder.div(distances, length));
    }

    private VectorVar brought(VectorVar x) {
        return reach == null ? x : builder.mul(x, reach.before());
    }

    /** The distance of a number from the mean, or from 0 without one. */
    VectorVar distance(VectorVar x, @Nullable Mean mean) {
        VectorVar distance = mean == null ? brought(x) : builder.sub(brought(x), mean.value());
        if (mean != null && mean.rest() != null) {
            distance = builder.sub(distance, mean.rest());
        }
        return reach == null ? distance : builder.mul(distance, reach.after());
    }

    /** The mean of the squares of the distances from the mean, or from 0 without one. */
    VectorVar variance(ScalarVar row, @Nullable Mean mean) {
        VectorVar squares = sum(row, (all, x, mask) -> {
            VectorVar distance = distance(x, mean);
            Value counted = mean == null ? distance : loop.orElse(mask, distance, Constant.ZERO);
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

    /** What distances are multiplied by. */
    VectorVar factor(VectorVar variance) {
        return builder.div(Constant.of(1), builder.unary(UnaryOp.SQRT, variance));
    }

    /** The mean of the row as it is. */
    VectorVar given(Mean mean) {
        VectorVar value = mean.rest() == null ? mean.value() : builder.add(mean.value(), mean.rest());
        return reach == null ? value : builder.div(value, reach.before());
    }

    /** What distances in the row as it is are multiplied by. */
    VectorVar givenFactor(VectorVar factor) {
        return reach == null ? factor : builder.mul(factor, reach.both(builder));
    }
}
