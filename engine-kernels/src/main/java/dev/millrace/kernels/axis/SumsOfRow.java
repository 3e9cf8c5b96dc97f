package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * f(from, to, rows, count): running sums along some rows. In reverse a row is done from its end, vectors being turned
 * round; what is left at its start then has zeros before it.
 */
final class SumsOfRow implements KernelFamily {
    static final String NAME = "select.sums";

    static KernelKey key(SumRule rule) {
        return rule.addTo(KernelKey.of(NAME));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, SumRule.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final SumRule rule;
        private final int lanes;
        private final ScalarVar from;
        private final ScalarVar to;
        private final VectorVar before;

        Writer(String name, Target target, SumRule rule) {
            this.rule = rule;
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            from = builder.parameter("from");
            to = builder.parameter("to");
            before = builder.vector("before");
        }

        Program program() {
            ScalarVar rows = builder.parameter("rows");
            ScalarVar count = builder.parameter("count");
            ScalarVar bytes = builder.scalar("bytes");
            builder.scalar(bytes, ScalarOp.SHL, count, 2);
            try (var _ = builder.loop(rows, 1)) {
                builder.set(before, rule.type().none());
                if (rule.reverse()) {
                    move(bytes);
                }
                ScalarVar left = builder.copy(count, "left");
                try (var _ = builder.loop(left, lanes)) {
                    if (rule.reverse()) {
                        move(-4 * lanes);
                    }
                    some(null);
                    if (!rule.reverse()) {
                        move(4 * lanes);
                    }
                }
                try (var _ = builder.ifNotZero(left)) {
                    MaskVar mask = builder.prefixMask(left);
                    builder.scalar(left, ScalarOp.SHL, left, 2);
                    if (rule.reverse()) {
                        builder.scalar(from, ScalarOp.SUB, from, left);
                        builder.scalar(to, ScalarOp.SUB, to, left);
                    }
                    some(mask);
                    if (!rule.reverse()) {
                        move(left);
                    }
                }
                if (rule.reverse()) {
                    move(bytes);
                }
            }
            return builder.build();
        }

        private void move(ScalarVar distance) {
            builder.advance(from, distance);
            builder.advance(to, distance);
        }

        private void move(int distance) {
            builder.advance(from, distance);
            builder.advance(to, distance);
        }

        private void some(@Nullable MaskVar mask) {
            VectorVar sums = upTo(turned(builder.load(Address.at(from, 0), mask)));
            VectorVar operand = rule.exclusive() ? shifted(sums, 1) : sums;
            VectorVar result = rule.type().plus(builder, operand, before);
            builder.store(Address.at(to, 0), turned(result), mask);
            int[] last = new int[lanes];
            Arrays.fill(last, lanes - 1);
            builder.set(before, rule.type().plus(builder, before, builder.permute(sums, last)));
        }

        private VectorVar upTo(VectorVar vector) {
            VectorVar sums = vector;
            for (int distance = 1; distance < lanes; distance *= 2) {
                sums = rule.type().plus(builder, sums, shifted(sums, distance));
            }
            return sums;
        }

        /** Lanes further up, behind some that change nothing. */
        private VectorVar shifted(VectorVar vector, int distance) {
            Constant none = rule.type().none();
            if (none.isZero()) {
                return LaneSums.shifted(builder, vector, distance);
            }
            VectorVar less = builder.binary(BinaryOp.INT_SUB, vector, none);
            return builder.binary(BinaryOp.INT_ADD, LaneSums.shifted(builder, less, distance), none);
        }

        private VectorVar turned(VectorVar vector) {
            if (!rule.reverse()) {
                return vector;
            }
            int[] places = new int[lanes];
            Arrays.setAll(places, i -> lanes - 1 - i);
            return builder.permute(vector, places);
        }
    }
}
