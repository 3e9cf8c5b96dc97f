package dev.millrace.kernels.softmax;

import dev.millrace.kernels.expression.Function;
import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import dev.millrace.kernels.rowwise.RowLoop;
import org.jspecify.annotations.Nullable;

/**
 * Columns side by side, each lane one of them: f(in, out, columns, elements of a column, elements from one to the
 * next). Out may be in.
 */
public final class SoftmaxColumns implements KernelFamily {
    public static final String NAME = "softmax.columns";
    private static final Constant LEAST = Constant.of(Float.NEGATIVE_INFINITY);

    public static KernelKey key(boolean log) {
        return KernelKey.of(NAME).with("log", log ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("log");
        boolean log = key.number("log", 0, 1) == 1;
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar in = builder.parameter("in");
        ScalarVar out = builder.parameter("out");
        ScalarVar columns = builder.parameter("columns");
        ScalarVar count = builder.parameter("count");
        ScalarVar stride = builder.parameter("stride");
        builder.scalar(stride, ScalarOp.SHL, stride, 2);
        new RowLoop(builder, 1).over(columns, (_, offset, _, mask) -> {
            ScalarVar from = builder.copy(in, "from");
            builder.advance(from, offset);
            ScalarVar to = builder.copy(out, "to");
            builder.advance(to, offset);
            new Columns(builder, from, to, count, stride, mask).write(log);
        });
        return builder.build();
    }

    /** As many columns as a vector has lanes. */
    private record Columns(
            ProgramBuilder builder,
            ScalarVar from,
            ScalarVar to,
            ScalarVar count,
            ScalarVar stride,
            @Nullable MaskVar mask) {
        private interface Body {
            void element(Address from, Address to);
        }

        private void down(Body body) {
            ScalarVar left = builder.copy(count, "left");
            ScalarVar offset = builder.scalar("offset");
            builder.set(offset, 0);
            try (var _ = builder.loop(left, 1)) {
                body.element(Address.at(from, offset, 1, 0), Address.at(to, offset, 1, 0));
                builder.advance(offset, stride);
            }
        }

        void write(boolean log) {
            VectorVar most = builder.vector("most");
            builder.set(most, LEAST);
            down((in, _) -> builder.binary(most, BinaryOp.MAX, builder.load(in, mask), most));
            VectorVar sum = builder.vector("sum");
            builder.set(sum, Constant.ZERO);
            down((in, out) -> {
                VectorVar power = Function.EXP_OF_NEGATIVE.write(builder, builder.sub(builder.load(in, mask), most));
                builder.binary(sum, BinaryOp.ADD, sum, power);
                if (!log) {
                    builder.store(out, power, mask);
                }
            });
            if (log) {
                VectorVar logOfSum = Function.LOG.write(builder, sum);
                down((in, out) -> {
                    VectorVar shifted = builder.sub(builder.load(in, mask), most);
                    builder.store(out, builder.sub(shifted, logOfSum), mask);
                });
            } else {
                VectorVar factor = builder.div(Constant.of(1), sum);
                down((_, out) -> builder.store(out, builder.mul(builder.load(out, mask), factor), mask));
            }
        }
    }
}
