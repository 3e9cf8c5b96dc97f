package dev.millrace.kernels.norm;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.Value;
import dev.millrace.kernels.program.VectorVar;
import dev.millrace.kernels.rowwise.RowLoop;

/**
 * The mean and the variance of each row, two floats: f(in, out, rows, elements of a row, one over that as the bits of a
 * float). The variance is of what is left when the mean is taken off, so that a large mean does not drown it.
 */
public final class Moments implements KernelFamily {
    /** What is written for a row. */
    static final int BYTES = 2 * Float.BYTES;

    public static final String NAME = "norm.moments";
    private static final int UNROLL = 4;

    public static KernelKey key() {
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
        VectorVar part = builder.spread(builder.parameter("part"));
        ScalarVar bytes = builder.scalar("bytes");
        builder.scalar(bytes, ScalarOp.SHL, count, 2);
        ScalarVar one = builder.scalar("one");
        builder.set(one, 1);
        RowLoop loop = new RowLoop(builder, UNROLL);
        try (var _ = builder.loop(rows, 1)) {
            VectorVar[] sums = loop.accumulators(Constant.ZERO);
            loop.over(count, (number, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(in, offset, displacement), mask);
                builder.binary(sums[number], BinaryOp.ADD, sums[number], x);
            });
            VectorVar mean = builder.mul(loop.combine(BinaryOp.ADD, sums), part);
            VectorVar[] squares = loop.accumulators(Constant.ZERO);
            loop.over(count, (number, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(in, offset, displacement), mask);
                Value centred = loop.orElse(mask, builder.sub(x, mean), Constant.ZERO);
                builder.accumulate(squares[number], centred, centred);
            });
            VectorVar variance = builder.mul(loop.combine(BinaryOp.ADD, squares), part);
            builder.store(Address.at(out, 0), mean, builder.firstLanes(one));
            builder.store(Address.at(out, Float.BYTES), variance, builder.firstLanes(one));
            builder.advance(in, bytes);
            builder.advance(out, BYTES);
        }
        return builder.build();
    }
}
