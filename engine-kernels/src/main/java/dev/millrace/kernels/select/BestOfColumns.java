package dev.millrace.kernels.select;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(from, out, count, stride in bytes, columns): the row of the best float in each of some columns, as numbers of 64
 * bits side by side.
 */
public final class BestOfColumns implements KernelFamily {
    private static final String NAME = "select.columns";

    public static KernelKey key(Best best) {
        return best.addTo(KernelKey.of(NAME));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        Best best = Best.of(key);
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar out = builder.parameter("out");
        ScalarVar count = builder.parameter("count");
        ScalarVar stride = builder.parameter("stride");
        ScalarVar columns = builder.parameter("columns");
        try (var _ = builder.loop(columns, lanes)) {
            WideStore.write(builder, out, places(builder, best, from, count, stride, null), null);
            builder.advance(from, 4 * lanes);
            builder.advance(out, 8 * lanes);
        }
        try (var _ = builder.ifNotZero(columns)) {
            MaskVar mask = builder.firstLanes(columns);
            WideStore.write(builder, out, places(builder, best, from, count, stride, mask), columns);
        }
        return builder.build();
    }

    private static VectorVar places(
            ProgramBuilder builder,
            Best best,
            ScalarVar from,
            ScalarVar count,
            ScalarVar stride,
            @Nullable MaskVar mask) {
        VectorVar value = builder.vector("value");
        VectorVar place = builder.vector("place");
        VectorVar here = builder.vector("here");
        builder.set(value, best.worst());
        builder.set(place, Constant.ZERO);
        builder.set(here, Constant.ZERO);
        ScalarVar at = builder.copy(from, "at");
        ScalarVar left = builder.copy(count, "left");
        try (var _ = builder.loop(left, 1)) {
            VectorVar given = builder.load(Address.at(at, 0), mask);
            MaskVar better = builder.compare(best.replaces(), given, value);
            builder.set(value, builder.select(better, given, value));
            builder.set(place, builder.select(better, here, place));
            builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(1));
            builder.advance(at, stride);
        }
        return place;
    }
}
