package dev.millrace.kernels.rows;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Comparison;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.LaneSums;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(indices, stride in bytes, count, limit, table, wrong): indices as 32-bit numbers from 0 on, those below 0 counting
 * from the limit. The word at wrong becomes how many are out of range.
 */
public final class IndexTable implements KernelFamily {
    private static final String NAME = "rows.indices";

    /**
     * One member of the family.
     *
     * @param wide whether indices have 64 bits
     * @param further whether a table of earlier components is multiplied by the limit and added
     */
    public static KernelKey key(boolean wide, boolean further) {
        return KernelKey.of(NAME).with("wide", wide ? 1 : 0).with("further", further ? 1 : 0);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("wide", "further");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final boolean wide;
        private final boolean further;
        private final ScalarVar indices;
        private final ScalarVar stride;
        private final ScalarVar count;
        private final ScalarVar table;
        private final ScalarVar wrong;
        private final VectorVar limit;
        private final VectorVar places;
        private final VectorVar wrongOnes;

        Writer(KernelKey key, Target target) {
            wide = key.number("wide", 0, 1) == 1;
            further = key.number("further", 0, 1) == 1;
            builder = new ProgramBuilder(key.toString(), target);
            indices = builder.parameter("indices");
            stride = builder.parameter("stride");
            count = builder.parameter("count");
            ScalarVar most = builder.parameter("limit");
            table = builder.parameter("table");
            wrong = builder.parameter("wrong");
            limit = builder.spread(most);
            ScalarVar words = builder.scalar("words");
            builder.scalar(words, ScalarOp.SHR, stride, 2);
            places = builder.binary(BinaryOp.INT_MUL, LaneSums.laneNumbers(builder), builder.spread(words));
            wrongOnes = builder.vector("wrongOnes");
            builder.set(wrongOnes, Constant.ZERO);
        }

        Program program() {
            int lanes = builder.target().lanes();
            builder.scalar(stride, ScalarOp.MUL, stride, lanes);
            try (var _ = builder.loop(count, lanes)) {
                some(null);
                builder.advance(indices, stride);
                builder.advance(table, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(count)) {
                some(builder.firstLanes(count));
            }
            ScalarVar one = builder.scalar("one");
            builder.set(one, 1);
            builder.store(Address.at(wrong, 0), builder.reduce(BinaryOp.INT_ADD, wrongOnes), builder.firstLanes(one));
            return builder.build();
        }

        private void some(@Nullable MaskVar mask) {
            VectorVar given = builder.gather(indices, places, mask);
            MaskVar negative = builder.compare(Comparison.INT_GREATER, Constant.ZERO, given);
            VectorVar index = builder.binary(BinaryOp.INT_ADD, given, builder.select(negative, limit, Constant.ZERO));
            MaskVar below = builder.compare(Comparison.INT_GREATER, limit, index);
            VectorVar bad = builder.select(below, Constant.ZERO, Constant.ofBits(1));
            MaskVar stillNegative = builder.compare(Comparison.INT_GREATER, Constant.ZERO, index);
            bad = builder.select(stillNegative, Constant.ofBits(1), bad);
            if (wide) {
                bad = orTooLarge(given, bad, mask);
            }
            builder.binary(wrongOnes, BinaryOp.INT_ADD, wrongOnes, bad);
            if (further) {
                VectorVar before = builder.load(Address.at(table, 0), mask);
                index = builder.binary(BinaryOp.INT_ADD, builder.binary(BinaryOp.INT_MUL, before, limit), index);
            }
            builder.store(Address.at(table, 0), index, mask);
        }

        /** The upper half must be nothing but the sign of the lower one. */
        private VectorVar orTooLarge(VectorVar given, VectorVar bad, @Nullable MaskVar mask) {
            ScalarVar upper = builder.scalar("upper");
            builder.scalar(upper, ScalarOp.ADD, indices, 4);
            VectorVar high = builder.gather(upper, places, mask);
            VectorVar sign = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, given, Constant.ofBits(31));
            MaskVar fits = builder.compare(Comparison.INT_EQUAL, high, sign);
            return builder.select(fits, bad, Constant.ofBits(1));
        }
    }
}
