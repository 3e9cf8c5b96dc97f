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

/**
 * The kernel f(in, out, rows, elements of a row, their number as the bits of a float, the bits of the number that is
 * added to variances): computes the mean of each row and the reciprocal of its deviation, two floats.
 */
final class MomentsKernel implements KernelFamily {
    /** Bytes of the results for a row. */
    static final int BYTES = 2 * Float.BYTES;

    static final String NAME = "norm.moments";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar in = builder.parameter("in");
        ScalarVar out = builder.parameter("out");
        ScalarVar rows = builder.parameter("rows");
        ScalarVar count = builder.parameter("count");
        VectorVar length = builder.broadcast(builder.parameter("length"));
        VectorVar epsilon = builder.broadcast(builder.parameter("epsilon"));
        ScalarVar bytes = builder.scalar("bytes");
        builder.scalar(bytes, ScalarOp.SHL, count, 2);
        RowMoments moments = new RowMoments(builder, count, length);
        try (var _ = builder.loop(rows, 1)) {
            RowMoments.Mean mean = moments.mean(in);
            VectorVar variance = moments.variance(in, mean);
            VectorVar sum = moments.with(epsilon, variance);
            VectorVar factor = moments.factor(sum);
            try (var _ = builder.ifNotZero(RowScales.isLeft(builder, mean, variance, sum))) {
                RowMoments within = moments.within(RowScales.of(builder, sum));
                RowMoments.Mean exact = within.mean(in);
                VectorVar exactFactor = within.factor(within.with(epsilon, within.variance(in, exact)));
                builder.set(mean.value(), within.unscaledMean(exact));
                builder.set(factor, within.unscaledFactor(exactFactor));
            }
            builder.storeFirst(Address.at(out, 0), mean.value());
            builder.storeFirst(Address.at(out, Float.BYTES), factor);
            builder.advance(in, bytes);
            builder.advance(out, BYTES);
        }
        return builder.build();
    }
}
