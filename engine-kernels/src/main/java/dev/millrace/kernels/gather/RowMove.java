package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.expression.Operator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(table, from, to, strides, count, width): moves rows. Those of one side are selected by a table of 32-bit
 * numbers, those of the other side are in their order. strides is that of from | that of to &lt;&lt; 32; they and the
 * width are in bytes.
 */
public final class RowMove implements KernelFamily {
    public static final String NAME = "rows.move";
    private static final int UNROLL = 4;

    /** The combination of a new element with the existing one. */
    public enum Update {
        SET,
        ADD,
        MUL,
        MIN,
        MAX;

        private Expr of(Expr old, Expr value) {
            return switch (this) {
                case SET -> value;
                case ADD -> new Expr.Combine(Operator.ADD, old, value);
                case MUL -> new Expr.Combine(Operator.MUL, old, value);
                case MIN -> new Expr.Combine(Operator.MIN, old, value);
                case MAX -> new Expr.Combine(Operator.MAX, old, value);
            };
        }
    }

    /** Returns the key of a kernel that gathers rows. */
    public static KernelKey gather() {
        return key(true, Update.SET);
    }

    /** Returns the key of a kernel that scatters rows. */
    public static KernelKey scatter(Update update) {
        return key(false, update);
    }

    private static KernelKey key(boolean chosenFrom, Update update) {
        return KernelKey.of(NAME).with("gather", chosenFrom ? 1 : 0).with("update", update);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("gather", "update");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final boolean gather;
        private final Update update;
        private final ScalarVar table;
        private final ScalarVar from;
        private final ScalarVar to;
        private final ScalarVar strides;
        private final ScalarVar count;
        private final ScalarVar width;
        private final ScalarVar source;
        private final ScalarVar target;

        Writer(KernelKey key, Target machine) {
            gather = key.number("gather", 0, 1) == 1;
            update = key.oneOf("update", Update.values());
            builder = new ProgramBuilder(key.toString(), machine);
            table = builder.parameter("table");
            from = builder.parameter("from");
            to = builder.parameter("to");
            strides = builder.parameter("strides");
            count = builder.parameter("count");
            width = builder.parameter("width");
            source = builder.scalar("source");
            target = builder.scalar("target");
        }

        Program program() {
            int bytes = builder.target().vectorBytes();
            ScalarVar fromStride = builder.low(strides, "fromStride");
            ScalarVar toStride = builder.high(strides, "toStride");
            try (var _ = builder.loop(count, 1)) {
                ScalarVar offset = builder.loadInt(Address.at(table, 0), "offset");
                builder.scalar(offset, ScalarOp.MUL, offset, gather ? fromStride : toStride);
                builder.set(source, from);
                builder.set(target, to);
                builder.advance(gather ? source : target, offset);
                ScalarVar left = builder.copy(width, "left");
                try (var _ = builder.loop(left, UNROLL * bytes)) {
                    vectors(UNROLL);
                }
                try (var _ = builder.loop(left, bytes)) {
                    vectors(1);
                }
                try (var _ = builder.ifNotZero(left)) {
                    tail(left);
                }
                builder.advance(table, 4);
                builder.advance(gather ? to : from, gather ? toStride : fromStride);
            }
            return builder.build();
        }

        private void vectors(int number) {
            int bytes = builder.target().vectorBytes();
            for (int i = 0; i < number; i++) {
                move(Element.WORD, i * bytes, null);
            }
            builder.advance(source, number * bytes);
            builder.advance(target, number * bytes);
        }

        private void tail(ScalarVar left) {
            ScalarVar words = builder.scalar("words");
            builder.scalar(words, ScalarOp.SHR, left, 2);
            move(Element.WORD, 0, builder.prefixMask(words));
            if (update == Update.SET) {
                builder.scalar(words, ScalarOp.SHL, words, 2);
                builder.scalar(left, ScalarOp.SUB, left, words);
                try (var _ = builder.ifNotZero(left)) {
                    builder.advance(source, words);
                    builder.advance(target, words);
                    move(Element.U8, 0, builder.prefixMask(left));
                }
            }
        }

        private void move(Element element, int at, @Nullable MaskVar mask) {
            VectorVar value = builder.load(element, Address.at(source, at), mask);
            if (update != Update.SET) {
                Map<Expr, VectorVar> values =
                        Map.of(Expr.input(0), builder.load(Address.at(target, at), mask), Expr.input(1), value);
                value = new ExprWriter(builder, values).write(update.of(Expr.input(0), Expr.input(1)));
            }
            builder.store(element, Address.at(target, at), value, mask);
        }
    }
}
