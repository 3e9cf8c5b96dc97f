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
    public static final String NAME = "select.columns";
    /** Vectors side by side, so that memory is read in runs. */
    private static final int STRIP = 4;

    public static KernelKey key(Best best) {
        return best.addTo(KernelKey.of(NAME));
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
        for (int vectors : new int[] {STRIP, 1}) {
            try (var _ = builder.loop(columns, vectors * lanes)) {
                for (VectorVar place : places(builder, best, from, count, stride, vectors, null)) {
                    WideStore.write(builder, out, place, null);
                    builder.advance(out, 8 * lanes);
                }
                builder.advance(from, 4 * vectors * lanes);
            }
        }
        try (var _ = builder.ifNotZero(columns)) {
            MaskVar mask = builder.firstLanes(columns);
            WideStore.write(builder, out, places(builder, best, from, count, stride, 1, mask)[0], columns);
        }
        return builder.build();
    }

    private static VectorVar[] places(
            ProgramBuilder builder,
            Best best,
            ScalarVar from,
            ScalarVar count,
            ScalarVar stride,
            int vectors,
            @Nullable MaskVar mask) {
        VectorVar[] values = new VectorVar[vectors];
        VectorVar[] places = new VectorVar[vectors];
        VectorVar here = builder.vector("here");
        builder.set(here, Constant.ZERO);
        for (int i = 0; i < vectors; i++) {
            values[i] = builder.vector("value");
            places[i] = builder.vector("place");
            builder.set(values[i], best.worst());
            builder.set(places[i], Constant.ZERO);
        }
        ScalarVar at = builder.copy(from, "at");
        ScalarVar left = builder.copy(count, "left");
        try (var _ = builder.loop(left, 1)) {
            for (int i = 0; i < vectors; i++) {
                VectorVar given = builder.load(Address.at(at, builder.target().vectorBytes() * i), mask);
                MaskVar better = builder.compare(best.replaces(), given, values[i]);
                builder.set(values[i], builder.select(better, given, values[i]));
                builder.set(places[i], builder.select(better, here, places[i]));
            }
            builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(1));
            builder.advance(at, stride);
        }
        return places;
    }
}
