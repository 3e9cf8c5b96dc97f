package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.expression.FloatFunction;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(arguments): applies a {@link ScoreRule} to a block of scores, in place, and updates the maximum of each
 * row, the first half of the online softmax. The arguments are those of {@link SoftmaxArguments}.
 */
final class ScoreMaxima implements KernelFamily {
    static final String NAME = "attention.maxima";
    private static final Constant NEVER = Constant.of(Float.NEGATIVE_INFINITY);
    private static final Constant LEAST = Constant.of(-Float.MAX_VALUE);
    private static final int UNROLL = 4;

    static KernelKey key(ScoreRule rule) {
        return rule.addTo(KernelKey.of(NAME));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, ScoreRule.of(key)).program();
    }

    private static final class Writer extends ScoreRows {
        private final ScoreRule rule;
        private final boolean plain;
        private final ScalarVar mask;

        Writer(String name, Target target, ScoreRule rule) {
            super(name, target);
            this.rule = rule;
            plain = rule.isPlain();
            mask = argument(SoftmaxArguments.MASK, "mask");
        }

        Program program() {
            ScalarVar rows = argument(SoftmaxArguments.ROWS, "rows");
            try (var _ = builder.loop(rows, 1)) {
                ScalarVar valid = valid();
                VectorVar ofBlock = plain ? largest(valid) : changed(valid);
                VectorVar before = before(largest(), rule.sinks() ? sink() : LEAST);
                VectorVar largest = builder.max(ofBlock, before);
                VectorVar less = builder.sub(before, largest);
                builder.store(largest(), largest);
                VectorVar exponent = plain ? less : builder.mul(less, LOG2_E);
                builder.store(factor(), FloatFunction.EXP2_OF_NEGATIVE.write(builder, exponent));
                if (rule.mask() != AttentionMask.Kind.NONE) {
                    builder.advance(mask, argument(SoftmaxArguments.MASK_STRIDE, "stride"));
                }
                nextRow();
            }
            return builder.build();
        }

        /** Returns the sink of this row, in the unit of the maximum. */
        private VectorVar sink() {
            ScalarVar at = argument(SoftmaxArguments.SINK_STRIDE, "sink");
            builder.scalar(at, ScalarOp.MUL, at, row);
            builder.scalar(at, ScalarOp.ADD, at, argument(SoftmaxArguments.SINKS, "sinks"));
            VectorVar sink = builder.broadcast(Address.at(at, 0));
            return plain ? builder.mul(sink, LOG2_E) : sink;
        }

        /** Returns the largest score times the scale. */
        private VectorVar largest(ScalarVar valid) {
            VectorVar scale = number(SoftmaxArguments.SCALE);
            VectorVar[] most = vectors(UNROLL, LEAST);
            ScalarVar at = builder.copy(scores, "at");
            ScalarVar left = builder.copy(valid, "left");
            try (var _ = builder.loop(left, UNROLL * lanes)) {
                for (int i = 0; i < UNROLL; i++) {
                    VectorVar scaled = builder.mul(builder.load(Address.at(at, 4 * lanes * i)), scale);
                    builder.binary(most[i], BinaryOp.MAX, scaled, most[i]);
                }
                builder.advance(at, 4 * UNROLL * lanes);
            }
            try (var _ = builder.loop(left, lanes)) {
                builder.binary(most[0], BinaryOp.MAX, builder.mul(builder.load(Address.at(at, 0)), scale), most[0]);
                builder.advance(at, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                MaskVar some = builder.prefixMask(left);
                VectorVar scaled = builder.mul(builder.load(Address.at(at, 0)), scale);
                builder.binary(most[1], BinaryOp.MAX, builder.select(some, scaled, NEVER), most[1]);
            }
            VectorVar all = builder.max(builder.max(most[0], most[1]), builder.max(most[2], most[3]));
            return builder.reduce(BinaryOp.MAX, all);
        }

        /** Applies the rule to the scores and returns the largest result. */
        private VectorVar changed(ScalarVar valid) {
            VectorVar most = vectors(1, LEAST)[0];
            VectorVar distance = rule.slopes() ? distance() : null;
            ScalarVar at = builder.copy(scores, "at");
            ScalarVar from = builder.copy(mask, "from");
            ScalarVar left = builder.copy(valid, "left");
            try (var _ = builder.loop(left, lanes)) {
                VectorVar score = change(at, from, distance, null);
                builder.store(Address.at(at, 0), score);
                builder.binary(most, BinaryOp.MAX, score, most);
                builder.advance(at, 4 * lanes);
                builder.advance(from, rule.mask().bytes() * lanes);
                if (distance != null) {
                    builder.binary(distance, BinaryOp.ADD, distance, Constant.of(lanes));
                }
            }
            try (var _ = builder.ifNotZero(left)) {
                MaskVar some = builder.prefixMask(left);
                VectorVar score = builder.select(some, change(at, from, distance, some), NEVER);
                builder.store(Address.at(at, 0), score);
                builder.binary(most, BinaryOp.MAX, score, most);
            }
            return builder.reduce(BinaryOp.MAX, most);
        }

        /** Returns the distances from the query of this row to the first keys. */
        private VectorVar distance() {
            ScalarVar first = argument(SoftmaxArguments.ROW_STEP, "step");
            builder.scalar(first, ScalarOp.MUL, first, row);
            ScalarVar start = argument(SoftmaxArguments.DISTANCE, "start");
            builder.scalar(start, ScalarOp.SUB, start, first);
            VectorVar numbers =
                    builder.binary(BinaryOp.INT_ADD, LaneSums.laneNumbers(builder), builder.broadcast(start));
            return builder.unary(UnaryOp.TO_FLOAT, numbers);
        }

        private VectorVar change(ScalarVar at, ScalarVar from, @Nullable VectorVar distance, @Nullable MaskVar some) {
            VectorVar score = builder.mul(builder.load(Address.at(at, 0)), number(SoftmaxArguments.SCALE));
            if (rule.cap() == ScoreRule.Cap.BEFORE_MASK) {
                score = capped(score);
            }
            score = switch (rule.mask()) {
                case NONE -> score;
                case ADDED -> {
                    VectorVar added = builder.load(Address.at(from, 0), some);
                    MaskVar left = builder.compare(Comparison.EQUAL, added, NEVER);
                    yield builder.select(left, NEVER, builder.add(score, added));
                }
                case CHOSEN -> {
                    VectorVar chosen = builder.load(Element.U8, Address.at(from, 0), some);
                    MaskVar left = builder.compare(Comparison.INT_EQUAL, chosen, Constant.ZERO);
                    yield builder.select(left, NEVER, score);
                }
            };
            if (distance != null) {
                ScalarVar slope = argument(SoftmaxArguments.SLOPE_STRIDE, "slope");
                builder.scalar(slope, ScalarOp.MUL, slope, row);
                builder.scalar(slope, ScalarOp.ADD, slope, argument(SoftmaxArguments.SLOPES, "slopes"));
                score = builder.multiplyAdd(distance, builder.broadcast(Address.at(slope, 0)), score);
            }
            return rule.cap() == ScoreRule.Cap.AFTER_MASK ? capped(score) : score;
        }

        private VectorVar capped(VectorVar score) {
            Expr x = Expr.input(0);
            VectorVar part = builder.mul(score, number(SoftmaxArguments.CAP_INVERSE));
            VectorVar tanh = new ExprWriter(builder, Map.of(x, part)).write(x.apply(FloatFunction.TANH));
            return builder.mul(tanh, number(SoftmaxArguments.CAP));
        }
    }
}
