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
        try (var _ = builder.loop(columns, lanes)) {
            sums(builder, rule, from, to, count, stride, null);
            builder.advance(from, 4 * lanes);
            builder.advance(to, 4 * lanes);
        }
        try (var _ = builder.ifNotZero(columns)) {
            sums(builder, rule, from, to, count, stride, builder.firstLanes(columns));
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
            @Nullable MaskVar mask) {
        VectorVar sum = builder.vector("sum");
        builder.set(sum, Constant.ZERO);
        ScalarVar source = builder.copy(from, "source");
        ScalarVar target = builder.copy(to, "target");
        ScalarVar left = builder.copy(count, "left");
        try (var _ = builder.loop(left, 1)) {
            VectorVar given = builder.load(Address.at(source, 0), mask);
            VectorVar with = builder.binary(rule.add(), sum, given);
            builder.store(Address.at(target, 0), rule.exclusive() ? sum : with, mask);
            builder.set(sum, with);
            builder.advance(source, stride);
            builder.advance(target, stride);
        }
    }
}
