package dev.millrace.kernels.norm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.rows.RowLoop;
import org.jspecify.annotations.Nullable;

/** The kernel f(arguments): normalises rows. Its arguments are those of {@link Argument}. */
public final class NormRows implements KernelFamily {
    public static final String NAME = "norm.rows";
    private static final int UNROLL = 4;

    /** The arguments of a call, longs in memory. */
    enum Argument {
        IN,
        OUT,
        /** The rows that are added to the input first. */
        SKIP,
        /** The destination of the sums of both; may be the output. */
        SUM,
        /** A number for each element of a row. */
        SCALE,
        BIAS,
        /** The destination of the mean of each row, and of the reciprocal of its deviation. */
        MEANS,
        DEVIATIONS,
        ROWS,
        COUNT,
        /** A float that is added to the variance. */
        EPSILON,
        /** The number of elements as a float. */
        LENGTH;

        static final int BYTES = 8 * values().length;

        int offset() {
            return 8 * ordinal();
        }
    }

    /**
     * The parameters of one member of the family.
     *
     * @param centred whether the mean is subtracted first
     * @param skip whether other rows are added to the input first
     * @param scale whether results are multiplied by a number for each element of a row
     * @param bias whether such a number is added
     * @param stats whether the mean and deviation of each row are written
     */
    public record Variant(boolean centred, boolean skip, boolean scale, boolean bias, boolean stats) {
        public KernelKey key() {
            return KernelKey.of(NAME)
                    .with("centred", centred ? 1 : 0)
                    .with("skip", skip ? 1 : 0)
                    .with("scale", scale ? 1 : 0)
                    .with("bias", bias ? 1 : 0)
                    .with("stats", stats ? 1 : 0);
        }

        static Variant of(KernelKey key) {
            key.onlyHas("centred", "skip", "scale", "bias", "stats");
            return new Variant(
                    key.number("centred", 0, 1) == 1,
                    key.number("skip", 0, 1) == 1,
                    key.number("scale", 0, 1) == 1,
                    key.number("bias", 0, 1) == 1,
                    key.number("stats", 0, 1) == 1);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, Variant.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Variant variant;
        private final RowLoop loop;
        private final ScalarVar arguments;
        private final ScalarVar in;
        private final ScalarVar out;
        /** The row that is normalised: the input, or its sum with another row. */
        private final ScalarVar row;

        private final ScalarVar count;

        Writer(String name, Target target, Variant variant) {
            this.variant = variant;
            builder = new ProgramBuilder(name, target);
            loop = new RowLoop(builder, UNROLL);
            arguments = builder.parameter("arguments");
            in = load(Argument.IN);
            out = load(Argument.OUT);
            row = variant.skip() ? load(Argument.SUM) : in;
            count = load(Argument.COUNT);
        }

        private ScalarVar load(Argument argument) {
            return builder.loadLong(Address.at(arguments, argument.offset()), argument.name());
        }

        private VectorVar spread(Argument argument) {
            return builder.broadcast(Address.at(arguments, argument.offset()));
        }

        Program program() {
            ScalarVar rows = load(Argument.ROWS);
            RowMoments moments = new RowMoments(builder, count, spread(Argument.LENGTH));
            ScalarVar bytes = builder.scalar("bytes");
            builder.scalar(bytes, ScalarOp.SHL, count, 2);
            @Nullable ScalarVar skip = variant.skip() ? load(Argument.SKIP) : null;
            @Nullable ScalarVar means = variant.stats() && variant.centred() ? load(Argument.MEANS) : null;
            @Nullable ScalarVar stats = variant.stats() ? load(Argument.DEVIATIONS) : null;
            VectorVar epsilon = spread(Argument.EPSILON);
            try (var _ = builder.loop(rows, 1)) {
                if (skip != null) {
                    add(skip);
                    builder.advance(skip, bytes);
                }
                RowMoments.@Nullable Mean mean = variant.centred() ? moments.mean(row) : null;
                VectorVar variance = moments.variance(row, mean);
                VectorVar sum = moments.with(epsilon, variance);
                try (var _ = builder.ifNotZero(RowScales.isLeft(builder, mean, variance, sum))) {
                    RowMoments within = moments.within(RowScales.of(builder, sum));
                    RowMoments.@Nullable Mean exact = variant.centred() ? within.mean(row) : null;
                    normalise(within, exact, within.with(epsilon, within.variance(row, exact)), means, stats);
                }
                try (var _ = builder.otherwise()) {
                    normalise(moments, mean, sum, means, stats);
                }
                builder.advance(in, bytes);
                builder.advance(out, bytes);
                if (variant.skip()) {
                    builder.advance(row, bytes);
                }
                advance(means);
                advance(stats);
            }
            return builder.build();
        }

        private void normalise(
                RowMoments moments,
                RowMoments.@Nullable Mean mean,
                VectorVar variance,
                @Nullable ScalarVar means,
                @Nullable ScalarVar stats) {
            VectorVar factor = moments.factor(variance);
            write(moments, mean, factor);
            if (means != null && mean != null) {
                keep(means, moments.unscaledMean(mean));
            }
            if (stats != null) {
                keep(stats, moments.unscaledFactor(factor));
            }
        }

        private void advance(@Nullable ScalarVar numbers) {
            if (numbers != null) {
                builder.advance(numbers, Float.BYTES);
            }
        }

        private void keep(ScalarVar at, VectorVar number) {
            builder.storeFirst(Address.at(at, 0), number);
        }

        private void add(ScalarVar skip) {
            loop.over(count, (_, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(in, offset, displacement), mask);
                VectorVar other = builder.load(RowLoop.at(skip, offset, displacement), mask);
                builder.store(RowLoop.at(row, offset, displacement), builder.add(x, other), mask);
            });
        }

        private void write(RowMoments moments, RowMoments.@Nullable Mean mean, VectorVar factor) {
            @Nullable ScalarVar scale = variant.scale() ? load(Argument.SCALE) : null;
            @Nullable ScalarVar bias = variant.bias() ? load(Argument.BIAS) : null;
            moments.loop().over(count, (_, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(row, offset, displacement), mask);
                VectorVar normal = builder.mul(moments.distance(x, mean), factor);
                VectorVar result = scaled(normal, scale, bias, offset, displacement, mask);
                builder.store(RowLoop.at(out, offset, displacement), result, mask);
            });
        }

        private VectorVar scaled(
                VectorVar x,
                @Nullable ScalarVar scale,
                @Nullable ScalarVar bias,
                ScalarVar offset,
                int displacement,
                @Nullable MaskVar mask) {
            VectorVar result = x;
            if (scale != null) {
                result = builder.mul(result, builder.load(RowLoop.at(scale, offset, displacement), mask));
            }
            if (bias != null) {
                result = builder.add(result, builder.load(RowLoop.at(bias, offset, displacement), mask));
            }
            return result;
        }
    }
}
