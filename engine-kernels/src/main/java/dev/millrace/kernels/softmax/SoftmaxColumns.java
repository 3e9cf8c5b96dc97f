package dev.millrace.kernels.softmax;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.rows.ColumnLoop;
import dev.millrace.kernels.rows.RowLoop;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(in, out, columns, elements of a column, elements from one to the next): softmax of columns side by side,
 * each in a lane. Out may be in.
 */
final class SoftmaxColumns implements KernelFamily {
    static final String NAME = "softmax.columns";
    private static final Constant LEAST = Constant.of(Float.NEGATIVE_INFINITY);

    static KernelKey key(boolean log) {
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
        ColumnLoop loop = new ColumnLoop(builder);
        loop.over(columns, 1, (_, offset, mask) -> {
            Columns strip = new Columns(builder, in, out, mask, row -> loop.down(offset, count, stride, row));
            if (log) {
                strip.logarithms();
            } else {
                strip.shares();
            }
        });
        return builder.build();
    }

    /** The columns of one vector. */
    private record Columns(
            ProgramBuilder builder,
            ScalarVar in,
            ScalarVar out,
            @Nullable MaskVar mask,
            Consumer<Consumer<ScalarVar>> down) {
        private VectorVar load(ScalarVar from, ScalarVar offset) {
            return builder.load(RowLoop.at(from, offset, 0), mask);
        }

        private void store(ScalarVar offset, VectorVar result) {
            builder.store(RowLoop.at(out, offset, 0), result, mask);
        }

        private VectorVar most() {
            VectorVar most = builder.vector("most");
            builder.set(most, LEAST);
            down.accept(row -> builder.binary(most, BinaryOp.MAX, load(in, row), most));
            return most;
        }

        /** Returns the sum of the exponentials, which are kept in the output if {@code kept}. */
        private VectorVar sum(VectorVar most, boolean kept) {
            VectorVar sum = builder.vector("sum");
            builder.set(sum, Constant.ZERO);
            down.accept(row -> {
                VectorVar power = FloatFunction.EXP_OF_NEGATIVE.write(builder, builder.sub(load(in, row), most));
                builder.binary(sum, BinaryOp.ADD, sum, power);
                if (kept) {
                    store(row, power);
                }
            });
            return sum;
        }

        void shares() {
            VectorVar factor = builder.div(Constant.of(1), sum(most(), true));
            down.accept(row -> store(row, builder.mul(load(out, row), factor)));
        }

        void logarithms() {
            VectorVar most = most();
            VectorVar logOfSum = FloatFunction.LOG.write(builder, sum(most, false));
            down.accept(row -> store(row, builder.sub(builder.sub(load(in, row), most), logOfSum)));
        }
    }
}
