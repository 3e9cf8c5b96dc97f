package dev.millrace.kernels.norm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.rows.RowLoop;

/**
 * The means and factors of the channels of groups, so that {@code (x - mean) * factor} is normalised and scaled:
 * f(arguments, see {@link Argument}). What belongs to a group is two floats, its mean and one over its deviation.
 */
final class FoldChannels implements KernelFamily {
    static final String NAME = "norm.fold";

    /** The longs in memory that a call is given. */
    enum Argument {
        MOMENTS,
        SCALE,
        FACTORS,
        MEANS,
        GROUPS,
        /** Channels of a group. */
        SIZE;

        static final int BYTES = 8 * values().length;

        int offset() {
            return 8 * ordinal();
        }
    }

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar arguments = builder.parameter("arguments");
        ScalarVar moments = load(builder, arguments, Argument.MOMENTS);
        ScalarVar scale = load(builder, arguments, Argument.SCALE);
        ScalarVar factors = load(builder, arguments, Argument.FACTORS);
        ScalarVar means = load(builder, arguments, Argument.MEANS);
        ScalarVar groups = load(builder, arguments, Argument.GROUPS);
        ScalarVar size = load(builder, arguments, Argument.SIZE);
        ScalarVar bytes = builder.scalar("bytes");
        builder.scalar(bytes, ScalarOp.SHL, size, 2);
        try (var _ = builder.loop(groups, 1)) {
            VectorVar mean = builder.broadcast(Address.at(moments, 0));
            VectorVar part = builder.broadcast(Address.at(moments, Float.BYTES));
            new RowLoop(builder, 1).over(size, (_, offset, displacement, mask) -> {
                VectorVar factor = builder.mul(builder.load(RowLoop.at(scale, offset, displacement), mask), part);
                builder.store(RowLoop.at(factors, offset, displacement), factor, mask);
                builder.store(RowLoop.at(means, offset, displacement), mean, mask);
            });
            builder.advance(moments, MomentsKernel.BYTES);
            for (ScalarVar row : new ScalarVar[] {scale, factors, means}) {
                builder.advance(row, bytes);
            }
        }
        return builder.build();
    }

    private static ScalarVar load(ProgramBuilder builder, ScalarVar arguments, Argument argument) {
        return builder.loadLong(Address.at(arguments, argument.offset()), argument.name());
    }
}
