package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.FloatFunction;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(arguments): turns a block of scores into weights relative to the running maximum of their row, in place,
 * and rescales the row's earlier sums to it, the second half of the online softmax. The arguments are those of
 * {@link SoftmaxArguments}.
 */
final class ScoreWeights implements KernelFamily {
    static final String NAME = "attention.weights";
    private static final int UNROLL = 2;

    /**
     * Returns the key.
     *
     * @param scaled whether scores still have to be multiplied by their scale, which includes log2(e)
     * @param sinks whether the sum of a row begins with the weight of its sink
     */
    static KernelKey key(boolean scaled, boolean sinks) {
        return KernelKey.of(NAME).with("scaled", scaled ? 1 : 0).with("sinks", sinks ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("scaled", "sinks");
        boolean sinks = key.number("sinks", 0, 1) == 1;
        return new Writer(key.toString(), target, key.number("scaled", 0, 1) == 1, sinks).program();
    }

    private static final class Writer extends ScoreRows {
        private final boolean plain;
        /** The weight of a row's sink at its own maximum, spread over the lanes. */
        private final Constant first;

        private final ScalarVar sums;

        Writer(String name, Target target, boolean plain, boolean sinks) {
            super(name, target);
            this.plain = plain;
            first = sinks ? Constant.of(1f / lanes) : Constant.ZERO;
            sums = argument(SoftmaxArguments.SUMS, "sums");
        }

        Program program() {
            ScalarVar rows = argument(SoftmaxArguments.ROWS, "rows");
            try (var _ = builder.loop(rows, 1)) {
                VectorVar total = weights(valid(), builder.load(largest()));
                VectorVar factor = builder.load(factor());
                builder.store(sum(), builder.multiplyAdd(before(sum(), first), factor, total));
                scaleSums(factor);
                builder.advance(sums, argument(SoftmaxArguments.SUM_STRIDE, "stride"));
                nextRow();
            }
            return builder.build();
        }

        /** Replaces scores by weights, and those of keys that take no part by zeros. Returns the sums. */
        private VectorVar weights(ScalarVar valid, VectorVar largest) {
            VectorVar[] total = vectors(UNROLL, Constant.ZERO);
            VectorVar scale = plain ? number(SoftmaxArguments.SCALE) : largest;
            ScalarVar at = builder.copy(scores, "at");
            ScalarVar left = builder.copy(valid, "left");
            try (var _ = builder.loop(left, UNROLL * lanes)) {
                for (int i = 0; i < UNROLL; i++) {
                    weight(total[i], Address.at(at, 4 * lanes * i), scale, largest, null);
                }
                builder.advance(at, UNROLL * bytes);
            }
            try (var _ = builder.loop(left, lanes)) {
                weight(total[0], Address.at(at, 0), scale, largest, null);
                builder.advance(at, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                weight(total[1], Address.at(at, 0), scale, largest, builder.prefixMask(left));
                builder.advance(at, 4 * lanes);
            }
            zerosFrom(at, valid);
            return builder.add(total[0], total[1]);
        }

        private void weight(VectorVar total, Address at, VectorVar scale, VectorVar largest, @Nullable MaskVar some) {
            VectorVar score = builder.load(at);
            // // the product is rounded as in the search for the maximum, whose weight is therefore 1 however large it
            // is
            VectorVar exponent = plain
                    ? builder.sub(builder.mul(score, scale), largest)
                    : builder.mul(builder.sub(score, largest), LOG2_E);
            VectorVar weight = FloatFunction.EXP2_OF_NEGATIVE.write(builder, exponent);
            if (some != null) {
                weight = builder.select(some, weight, Constant.ZERO);
            }
            builder.store(at, weight);
            builder.binary(total, BinaryOp.ADD, total, weight);
        }

        /** Writes zeros for the keys of the block that take no part in this row. */
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

        private void scaleSums(VectorVar factor) {
            ScalarVar at = builder.copy(sums, "at");
            ScalarVar left = argument(SoftmaxArguments.SUM_VECTORS, "left");
            try (var _ = builder.loop(left, 1)) {
                builder.store(Address.at(at, 0), builder.mul(builder.load(Address.at(at, 0)), factor));
                builder.advance(at, bytes);
            }
        }
    }
}
