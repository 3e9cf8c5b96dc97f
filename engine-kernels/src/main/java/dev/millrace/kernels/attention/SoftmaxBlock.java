package dev.millrace.kernels.attention;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.expression.Function;
import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Comparison;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Element;
import dev.millrace.kernels.program.LaneSums;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.UnaryOp;
import dev.millrace.kernels.program.VectorVar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * f(arguments): turns a block of scores into weights relative to the largest score of their row so far, in place, and
 * scales what rows have summed up before to that. The arguments are those of {@link SoftmaxArguments}.
 *
 * <p>Each row has a state of two floats: its largest score (times log2(e) where nothing but the scale is done to
 * scores) and the sum of its weights. Before the first block that is the least float and 0.
 */
public final class SoftmaxBlock implements KernelFamily {
    /** Of the state of a row. */
    public static final int STATE_BYTES = 8;
    /** Where the sum is in the state of a row. */
    public static final int SUM = 4;

    private static final String NAME = "attention.softmax";
    private static final Constant LOG2_E = Constant.of(1.442695f);
    private static final Constant NEVER = Constant.of(Float.NEGATIVE_INFINITY);
    private static final int UNROLL = 4;

    public static KernelKey key(ScoreRule rule) {
        return rule.addTo(KernelKey.of(NAME));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, ScoreRule.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final ScoreRule rule;
        /** Whether the scale and the logarithm's base are one factor, which the largest score has in it as well. */
        private final boolean plain;

        private final int lanes;
        private final Exp2Steps powers;
        private final ScalarVar arguments;
        private final ScalarVar scores;
        private final ScalarVar state;
        private final ScalarVar sums;
        private final ScalarVar mask;
        private final ScalarVar row;

        Writer(String name, Target target, ScoreRule rule) {
            this.rule = rule;
            plain = rule.equals(ScoreRule.PLAIN);
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            powers = new Exp2Steps(builder);
            arguments = builder.parameter("arguments");
            scores = argument(SoftmaxArguments.SCORES, "scores");
            state = argument(SoftmaxArguments.STATE, "state");
            sums = argument(SoftmaxArguments.SUMS, "sums");
            mask = argument(SoftmaxArguments.MASK, "mask");
            row = builder.scalar("row");
        }

        private ScalarVar argument(int offset, String name) {
            return builder.loadLong(Address.at(arguments, offset), name);
        }

        private VectorVar number(int offset) {
            return builder.spread(Address.at(arguments, offset));
        }

        Program program() {
            builder.set(row, 0);
            ScalarVar rows = argument(SoftmaxArguments.ROWS, "rows");
            try (var _ = builder.loop(rows, 1)) {
                ScalarVar valid = valid();
                VectorVar largest = plain ? largest(valid) : changed(valid);
                VectorVar before = builder.spread(Address.at(state, 0));
                largest = builder.max(largest, before);
                VectorVar sum = weights(valid, largest);
                update(before, largest, sum);
                builder.advance(scores, argument(SoftmaxArguments.SCORE_STRIDE, "stride"));
                builder.advance(sums, argument(SoftmaxArguments.SUM_STRIDE, "stride"));
                if (rule.mask() != AttentionMask.Kind.NONE) {
                    builder.advance(mask, argument(SoftmaxArguments.MASK_STRIDE, "stride"));
                }
                builder.advance(state, STATE_BYTES);
                builder.advance(row, 1);
            }
            return builder.build();
        }

        /** How many keys of the block take part in this row. */
        private ScalarVar valid() {
            ScalarVar valid = argument(SoftmaxArguments.VALID_STEP, "valid");
            builder.scalar(valid, ScalarOp.MUL, valid, row);
            builder.scalar(valid, ScalarOp.ADD, valid, argument(SoftmaxArguments.VALID, "first"));
            builder.scalar(valid, ScalarOp.MAX, valid, 0);
            builder.scalar(valid, ScalarOp.MIN, valid, argument(SoftmaxArguments.KEYS, "keys"));
            return valid;
        }

        private VectorVar[] vectors(int count, Constant value) {
            VectorVar[] vectors = new VectorVar[count];
            for (int i = 0; i < count; i++) {
                vectors[i] = builder.vector("v");
                builder.set(vectors[i], value);
            }
            return vectors;
        }

        /** The largest score times the scale. */
        private VectorVar largest(ScalarVar valid) {
            VectorVar scale = number(SoftmaxArguments.SCALE);
            VectorVar[] most = vectors(UNROLL, Constant.of(-Float.MAX_VALUE));
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
                MaskVar some = builder.firstLanes(left);
                VectorVar scaled = builder.mul(builder.load(Address.at(at, 0)), scale);
                builder.binary(most[1], BinaryOp.MAX, builder.select(some, scaled, NEVER), most[1]);
            }
            VectorVar all = builder.max(builder.max(most[0], most[1]), builder.max(most[2], most[3]));
            return builder.reduce(BinaryOp.MAX, all);
        }

        /** Does to the scores what the rule says, and gives the largest result. */
        private VectorVar changed(ScalarVar valid) {
            VectorVar most = vectors(1, Constant.of(-Float.MAX_VALUE))[0];
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
                MaskVar some = builder.firstLanes(left);
                VectorVar score = builder.select(some, change(at, from, distance, some), NEVER);
                builder.store(Address.at(at, 0), score);
                builder.binary(most, BinaryOp.MAX, score, most);
            }
            return builder.reduce(BinaryOp.MAX, most);
        }

        /** From the query of this row to the first keys. */
        private VectorVar distance() {
            ScalarVar first = argument(SoftmaxArguments.ROW_STEP, "step");
            builder.scalar(first, ScalarOp.MUL, first, row);
            ScalarVar start = argument(SoftmaxArguments.DISTANCE, "start");
            builder.scalar(start, ScalarOp.SUB, start, first);
            VectorVar numbers = builder.binary(BinaryOp.INT_ADD, LaneSums.laneNumbers(builder), builder.spread(start));
            return builder.unary(UnaryOp.TO_FLOAT, numbers);
        }

        private VectorVar change(ScalarVar at, ScalarVar from, @Nullable VectorVar distance, @Nullable MaskVar some) {
            VectorVar score = builder.mul(builder.load(Address.at(at, 0)), number(SoftmaxArguments.SCALE));
            if (rule.cap() == ScoreRule.Cap.BEFORE_MASK) {
                score = capped(score);
            }
            score = switch (rule.mask()) {
                case NONE -> score;
                case ADDED -> builder.add(score, builder.load(Address.at(from, 0), some));
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
                score = builder.multiplyAdd(distance, builder.spread(Address.at(slope, 0)), score);
            }
            return rule.cap() == ScoreRule.Cap.AFTER_MASK ? capped(score) : score;
        }

        private VectorVar capped(VectorVar score) {
            Expr x = Expr.input(0);
            VectorVar part = builder.mul(score, number(SoftmaxArguments.CAP_INVERSE));
            VectorVar tanh = new ExprWriter(builder, Map.of(x, part)).write(x.apply(Function.TANH));
            return builder.mul(tanh, number(SoftmaxArguments.CAP));
        }

        /** Replaces scores by weights, those that do not take part by zeros, and gives the sum. What is subtracted is the largest score, negated where there is a scale to multiply by. */
        private VectorVar weights(ScalarVar valid, VectorVar largest) {
            VectorVar[] total = vectors(2, Constant.ZERO);
            VectorVar scale = plain ? number(SoftmaxArguments.SCALE) : largest;
            VectorVar subtracted = plain ? builder.sub(Constant.ZERO, largest) : largest;
            ScalarVar at = builder.copy(scores, "at");
            ScalarVar left = builder.copy(valid, "left");
            try (var _ = builder.loop(left, 2 * lanes)) {
                for (int i = 0; i < 2; i++) {
                    weight(total[i], Address.at(at, 4 * lanes * i), scale, subtracted, null);
                }
                builder.advance(at, 8 * lanes);
            }
            try (var _ = builder.loop(left, lanes)) {
                weight(total[0], Address.at(at, 0), scale, subtracted, null);
                builder.advance(at, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                weight(total[1], Address.at(at, 0), scale, subtracted, builder.firstLanes(left));
                builder.advance(at, 4 * lanes);
            }
            zerosFrom(at, valid);
            return builder.reduce(BinaryOp.ADD, builder.add(total[0], total[1]));
        }

        private void weight(
                VectorVar total, Address at, VectorVar scale, VectorVar subtracted, @Nullable MaskVar some) {
            VectorVar score = builder.load(at);
            VectorVar exponent = plain
                    ? builder.multiplyAdd(score, scale, subtracted)
                    : builder.mul(builder.sub(score, subtracted), LOG2_E);
            VectorVar weight = powers.of(exponent);
            if (some != null) {
                weight = builder.select(some, weight, Constant.ZERO);
            }
            builder.store(at, weight);
            builder.binary(total, BinaryOp.ADD, total, weight);
        }

        /** For the keys of the block that do not take part in this row. */
        private void zerosFrom(ScalarVar at, ScalarVar valid) {
            builder.scalar(valid, ScalarOp.ADD, valid, lanes - 1);
            builder.scalar(valid, ScalarOp.AND, valid, -lanes);
            ScalarVar rest = argument(SoftmaxArguments.KEYS, "rest");
            builder.scalar(rest, ScalarOp.SUB, rest, valid);
            builder.scalar(rest, ScalarOp.ADD, rest, lanes - 1);
            VectorVar zero = vectors(1, Constant.ZERO)[0];
            try (var _ = builder.loop(rest, lanes)) {
                builder.store(Address.at(at, 0), zero);
                builder.advance(at, 4 * lanes);
            }
        }

        private void update(VectorVar before, VectorVar largest, VectorVar sum) {
            VectorVar less = builder.sub(before, largest);
            VectorVar factor = powers.of(plain ? less : builder.mul(less, LOG2_E));
            ScalarVar one = builder.scalar("one");
            builder.set(one, 1);
            MaskVar first = builder.firstLanes(one);
            builder.store(Address.at(state, 0), largest, first);
            VectorVar old = builder.spread(Address.at(state, SUM));
            builder.store(Address.at(state, SUM), builder.multiplyAdd(old, factor, sum), first);
            ScalarVar at = builder.copy(sums, "at");
            ScalarVar left = argument(SoftmaxArguments.SUM_VECTORS, "left");
            try (var _ = builder.loop(left, 1)) {
                builder.store(Address.at(at, 0), builder.mul(builder.load(Address.at(at, 0)), factor));
                builder.advance(at, 4 * lanes);
            }
        }
    }
}
