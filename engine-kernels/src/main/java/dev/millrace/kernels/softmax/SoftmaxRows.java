package dev.millrace.kernels.softmax;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.rows.RowLoop;

/** Rows one after the other: f(in, out, rows, elements of a row). Out may be in. */
final class SoftmaxRows implements KernelFamily {
    static final String NAME = "softmax.rows";
    private static final int UNROLL = 4;
    private static final Constant LEAST = Constant.of(Float.NEGATIVE_INFINITY);

    static KernelKey key(boolean log) {
        return KernelKey.of(NAME).with("log", log ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("log");
        return new Writer(key.toString(), target).program(key.number("log", 0, 1) == 1);
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final RowLoop loop;
        private final ScalarVar in;
        private final ScalarVar out;
        private final ScalarVar rows;
        private final ScalarVar count;

        Writer(String name, Target target) {
            builder = new ProgramBuilder(name, target);
            loop = new RowLoop(builder, UNROLL);
            in = builder.parameter("in");
            out = builder.parameter("out");
            rows = builder.parameter("rows");
            count = builder.parameter("count");
        }

        Program program(boolean log) {
            ScalarVar bytes = builder.scalar("bytes");
            builder.scalar(bytes, ScalarOp.SHL, count, 2);
            try (var _ = builder.loop(rows, 1)) {
                VectorVar most = most();
                if (log) {
                    logarithms(most);
                } else {
                    shares(most);
                }
                builder.advance(in, bytes);
                builder.advance(out, bytes);
            }
            return builder.build();
        }

        /** MAX gives its second operand on NaN: the sum of the exponentials brings it to the whole row. */
        private VectorVar most() {
            VectorVar[] most = loop.accumulators(LEAST);
            loop.over(count, (number, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(in, offset, displacement), mask);
                builder.binary(most[number], BinaryOp.MAX, loop.orElse(mask, x, LEAST), most[number]);
            });
            return loop.combine(BinaryOp.MAX, most);
        }

        /** The sum of the exponentials, which are kept in the output where they are wanted. */
        private VectorVar sum(VectorVar most, boolean kept) {
            VectorVar[] sums = loop.accumulators(Constant.ZERO);
            loop.over(count, (number, offset, displacement, mask) -> {
                ProgramValue x = builder.load(RowLoop.at(in, offset, displacement), mask);
                VectorVar power = FloatFunction.EXP_OF_NEGATIVE.write(builder, builder.sub(x, most));
                if (kept) {
                    builder.store(RowLoop.at(out, offset, displacement), power, mask);
                }
                builder.binary(sums[number], BinaryOp.ADD, sums[number], loop.orElse(mask, power, Constant.ZERO));
            });
            return loop.combine(BinaryOp.ADD, sums);
        }

        private void shares(VectorVar most) {
            VectorVar factor = builder.div(Constant.of(1), sum(most, true));
            loop.over(count, (_, offset, displacement, mask) -> {
                VectorVar power = builder.load(RowLoop.at(out, offset, displacement), mask);
                builder.store(RowLoop.at(out, offset, displacement), builder.mul(power, factor), mask);
            });
        }

        private void logarithms(VectorVar most) {
            VectorVar logOfSum = FloatFunction.LOG.write(builder, sum(most, false));
            loop.over(count, (_, offset, displacement, mask) -> {
                VectorVar x = builder.load(RowLoop.at(in, offset, displacement), mask);
                VectorVar result = builder.sub(builder.sub(x, most), logOfSum);
                builder.store(RowLoop.at(out, offset, displacement), result, mask);
            });
        }
    }
}
