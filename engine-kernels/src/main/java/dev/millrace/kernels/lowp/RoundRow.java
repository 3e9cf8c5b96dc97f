package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/**
 * The kernel f(row, rounded, blocks): rounds the whole blocks of a row of floats to bytes in the form of
 * {@link RoundedRow}. The element of largest magnitude of a block becomes 127 or -127. A block with an infinite element
 * or NaN gets a scale that is infinite or NaN.
 */
final class RoundRow implements KernelFamily {
    static final String NAME = "gemm.stored.round";
    private static final int GROUP = WeightType.INT4.group();

    static KernelKey key(WeightFormat format) {
        return format.in(KernelKey.of(NAME));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("type", "block", "zeros", "scales");
        return new Writer(key.toString(), target, WeightFormat.of(key).block()).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int block;
        private final int lanes;
        private final int bytes;

        Writer(String name, Target target, int block) {
            builder = new ProgramBuilder(name, target);
            this.block = block;
            lanes = target.lanes();
            bytes = target.vectorBytes();
        }

        Program program() {
            ScalarVar row = builder.parameter("row");
            ScalarVar rounded = builder.parameter("rounded");
            ScalarVar blocks = builder.parameter("blocks");
            try (var _ = builder.loop(blocks, 1)) {
                VectorVar scale = scale(row);
                VectorVar sum = elements(row, rounded, perScale(scale));
                VectorVar eight = builder.binary(BinaryOp.SHIFT_LEFT, sum, Constant.ofBits(3));
                VectorVar start = builder.binary(BinaryOp.INT_SUB, Constant.ZERO, eight);
                VectorVar all = builder.mul(builder.unary(UnaryOp.TO_FLOAT, sum), scale);
                builder.storeFirst(Address.at(rounded, RoundedRow.START), start);
                builder.storeFirst(Address.at(rounded, RoundedRow.SCALE), scale);
                builder.storeFirst(Address.at(rounded, RoundedRow.ZERO), builder.sub(Constant.ZERO, all));
                builder.advance(row, Float.BYTES * block);
                builder.advance(rounded, RoundedRow.blockBytes(block));
            }
            return builder.build();
        }

        /** Returns the largest magnitude of a block divided by 127. */
        private VectorVar scale(ScalarVar row) {
            VectorVar largest = builder.vector("largest");
            VectorVar poison = builder.vector("poison");
            builder.set(largest, Constant.ZERO);
            builder.set(poison, Constant.ZERO);
            ScalarVar from = builder.copy(row, "from");
            ScalarVar left = vectors();
            try (var _ = builder.loop(left, 1)) {
                VectorVar x = builder.load(Address.at(from, 0));
                builder.accumulate(poison, x, Constant.ZERO);
                VectorVar size = builder.binary(BinaryOp.AND, x, Constant.ofBits(Integer.MAX_VALUE));
                builder.binary(largest, BinaryOp.MAX, largest, size);
                builder.advance(from, bytes);
            }
            VectorVar most = builder.reduce(BinaryOp.MAX, largest);
            VectorVar scale = builder.div(most, Constant.of(RoundedRow.MOST));
            return builder.add(scale, builder.reduce(BinaryOp.ADD, poison));
        }

        private ScalarVar vectors() {
            ScalarVar left = builder.scalar("left");
            builder.set(left, block / lanes);
            return left;
        }

        private VectorVar perScale(VectorVar scale) {
            MaskVar none = builder.compare(Comparison.EQUAL, scale, Constant.ZERO);
            return builder.select(none, Constant.ZERO, builder.div(Constant.of(1), scale));
        }

        /**
         * Rounds the elements of a block.
         *
         * @return the sum of all elements
         */
        private VectorVar elements(ScalarVar row, ScalarVar rounded, VectorVar perScale) {
            VectorVar sum = builder.vector("sum");
            builder.set(sum, Constant.ZERO);
            ScalarVar from = builder.copy(row, "from");
            ScalarVar to = builder.copy(rounded, "to");
            builder.advance(to, RoundedRow.DATA);
            ScalarVar left = vectors();
            int together = Math.max(1, GROUP / lanes);
            try (var _ = builder.loop(left, together)) {
                VectorVar[] numbers = new VectorVar[together];
                for (int i = 0; i < together; i++) {
                    VectorVar x = builder.mul(builder.load(Address.at(from, i * bytes)), perScale);
                    numbers[i] = builder.unary(UnaryOp.TO_INT, x);
                    builder.binary(sum, BinaryOp.INT_ADD, sum, numbers[i]);
                }
                store(to, numbers);
                builder.advance(from, together * bytes);
                builder.advance(to, together * lanes);
            }
            return builder.reduce(BinaryOp.INT_ADD, sum);
        }

        /** Stores whole groups, which are one vector or two of them. */
        private void store(ScalarVar to, VectorVar[] numbers) {
            if (numbers.length == 1) {
                builder.store(Element.U8, Address.at(to, 0), builder.permute(numbers[0], evenBeforeOdd()), null);
                return;
            }
            VectorVar even = builder.binary(BinaryOp.EVEN_LANES, numbers[0], numbers[1]);
            VectorVar odd = builder.binary(BinaryOp.ODD_LANES, numbers[0], numbers[1]);
            builder.store(Element.U8, Address.at(to, 0), even, null);
            builder.store(Element.U8, Address.at(to, lanes), odd, null);
        }

        private int[] evenBeforeOdd() {
            int[] order = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                int inGroup = i % GROUP;
                int half = GROUP / 2;
                order[i] = i - inGroup + (inGroup < half ? 2 * inGroup : 2 * (inGroup - half) + 1);
            }
            return order;
        }
    }
}
