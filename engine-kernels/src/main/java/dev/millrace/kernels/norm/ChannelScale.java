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
import org.jspecify.annotations.Nullable;

/**
 * Rows of elements times a number of their row, plus another one: f(in, out, factors, offsets, rows, elements of a
 * row). Out may be in. If they are centred, each row has a mean, behind all factors, that is taken off first: where it is
 * large, what is left is exact, and the difference of two products is not.
 */
record ChannelScale(boolean centred) implements KernelFamily {
    static final String NAME = "norm.channels";
    static final String CENTRED = "norm.centred";
    private static final int UNROLL = 4;

    KernelKey key() {
        return KernelKey.of(centred ? CENTRED : NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar in = builder.parameter("in");
        ScalarVar out = builder.parameter("out");
        ScalarVar factors = builder.parameter("factors");
        ScalarVar offsets = builder.parameter("offsets");
        ScalarVar rows = builder.parameter("rows");
        ScalarVar count = builder.parameter("count");
        ScalarVar bytes = builder.scalar("bytes");
        builder.scalar(bytes, ScalarOp.SHL, count, 2);
        ScalarVar toMeans = builder.scalar("toMeans");
        builder.scalar(toMeans, ScalarOp.SHL, rows, 2);
        try (var _ = builder.loop(rows, 1)) {
            VectorVar factor = builder.broadcast(Address.at(factors, 0));
            VectorVar added = builder.broadcast(Address.at(offsets, 0));
            @Nullable VectorVar mean = centred ? builder.broadcast(Address.at(factors, toMeans, 1, 0)) : null;
            new RowLoop(builder, UNROLL).over(count, (_, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(in, offset, displacement), mask);
                VectorVar distance = mean == null ? x : builder.sub(x, mean);
                VectorVar result = builder.multiplyAdd(distance, factor, added);
                builder.store(RowLoop.at(out, offset, displacement), result, mask);
            });
            builder.advance(in, bytes);
            builder.advance(out, bytes);
            builder.advance(factors, Float.BYTES);
            builder.advance(offsets, Float.BYTES);
        }
        return builder.build();
    }
}
