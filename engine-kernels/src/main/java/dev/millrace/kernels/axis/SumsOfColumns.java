package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.rows.ColumnLoop;
import dev.millrace.kernels.rows.RowLoop;
import org.jspecify.annotations.Nullable;

/**
 * f(from, to, count, stride in bytes, columns): running sums down some columns of words, or twice as many of numbers of 64
 * bits, of which there is at least one row. A
 * row is added to the sums that were written before it. Exclusive sums are held in registers instead, some columns after
 * the others, since the row before may have been written over.
 */
final class SumsOfColumns implements KernelFamily {
    static final String NAME = "select.columnsums";
    private static final int UNROLL = 4;
    /** Vectors side by side. */
    private static final int STRIP = 8;

    static KernelKey key(SumRule.Type type, boolean exclusive) {
        return KernelKey.of(NAME).with("type", type).with("exclusive", exclusive ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("type", "exclusive");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final SumRule.Type type;
        private final boolean exclusive;
        private final ScalarVar from;
        private final ScalarVar to;
        private final ScalarVar count;
        private final ScalarVar stride;
        private final ScalarVar columns;

        Writer(KernelKey key, Target target) {
            type = key.oneOf("type", SumRule.Type.values());
            exclusive = key.number("exclusive", 0, type == SumRule.Type.DOUBLE_PRODUCT ? 0 : 1) == 1;
            builder = new ProgramBuilder(key.toString(), target);
            from = builder.parameter("from");
            to = builder.parameter("to");
            count = builder.parameter("count");
            stride = builder.parameter("stride");
            columns = builder.parameter("columns");
        }

        Program program() {
            if (exclusive) {
                strips();
            } else {
                rows();
            }
            return builder.build();
        }

        private void rows() {
            row(null);
            builder.scalar(count, ScalarOp.SUB, count, 1);
            try (var _ = builder.loop(count, 1)) {
                ScalarVar before = builder.copy(to, "before");
                builder.advance(from, stride);
                builder.advance(to, stride);
                row(before);
            }
        }

        private void row(@Nullable ScalarVar before) {
            new RowLoop(builder, UNROLL).over(columns, (_, offset, displacement, mask) -> {
                VectorVar sum = builder.load(RowLoop.at(from, offset, displacement), mask);
                if (before != null) {
                    sum = type.plus(builder, builder.load(RowLoop.at(before, offset, displacement), mask), sum);
                }
                builder.store(RowLoop.at(to, offset, displacement), sum, mask);
            });
        }

        private void strips() {
            ColumnLoop loop = new ColumnLoop(builder);
            loop.over(columns, STRIP, (vectors, offset, mask) -> {
                VectorVar[] sums = new RowLoop(builder, vectors).accumulators(type.none());
                loop.down(offset, count, stride, here -> {
                    for (int i = 0; i < vectors; i++) {
                        int displacement = builder.target().vectorBytes() * i;
                        VectorVar vector = builder.load(RowLoop.at(from, here, displacement), mask);
                        builder.store(RowLoop.at(to, here, displacement), sums[i], mask);
                        builder.set(sums[i], type.plus(builder, sums[i], vector));
                    }
                });
            });
        }
    }
}
