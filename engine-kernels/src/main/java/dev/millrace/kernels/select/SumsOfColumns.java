package dev.millrace.kernels.select;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** f(from, to, count, stride in bytes, columns): running sums down some columns. */
public final class SumsOfColumns implements KernelFamily {
    private static final String NAME = "select.columnsums";
    /** Vectors side by side, so that memory is read in runs. */
    private static final int STRIP = 8;

    public static KernelKey key(SumRule rule) {
        return rule.addTo(KernelKey.of(NAME));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        SumRule rule = SumRule.of(key);
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar count = builder.parameter("count");
        ScalarVar stride = builder.parameter("stride");
        ScalarVar columns = builder.parameter("columns");
        if (rule.reverse()) {
            ScalarVar last = builder.scalar("last");
            builder.scalar(last, ScalarOp.SUB, count, 1);
            builder.scalar(last, ScalarOp.MUL, last, stride);
            builder.advance(from, last);
            builder.advance(to, last);
            ScalarVar negative = builder.scalar("negative");
            builder.scalar(negative, ScalarOp.MUL, stride, -1);
            builder.set(stride, negative);
        }
        for (int vectors : new int[] {STRIP, 1}) {
            try (var _ = builder.loop(columns, vectors * lanes)) {
                sums(builder, rule, from, to, count, stride, vectors, null);
                builder.advance(from, 4 * vectors * lanes);
                builder.advance(to, 4 * vectors * lanes);
            }
        }
        try (var _ = builder.ifNotZero(columns)) {
            sums(builder, rule, from, to, count, stride, 1, builder.firstLanes(columns));
        }
        return builder.build();
    }

    private static void sums(
            ProgramBuilder builder,
            SumRule rule,
            ScalarVar from,
            ScalarVar to,
            ScalarVar count,
            ScalarVar stride,
            int vectors,
            @Nullable MaskVar mask) {
        VectorVar[] sums = new VectorVar[vectors];
        for (int i = 0; i < vectors; i++) {
            sums[i] = builder.vector("sum");
            builder.set(sums[i], Constant.ZERO);
        }
        ScalarVar source = builder.copy(from, "source");
        ScalarVar target = builder.copy(to, "target");
        ScalarVar left = builder.copy(count, "left");
        try (var _ = builder.loop(left, 1)) {
            for (int i = 0; i < vectors; i++) {
                int at = builder.target().vectorBytes() * i;
                VectorVar with = builder.binary(rule.add(), sums[i], builder.load(Address.at(source, at), mask));
                builder.store(Address.at(target, at), rule.exclusive() ? sums[i] : with, mask);
                builder.set(sums[i], with);
            }
            builder.advance(source, stride);
            builder.advance(target, stride);
        }
    }
}
