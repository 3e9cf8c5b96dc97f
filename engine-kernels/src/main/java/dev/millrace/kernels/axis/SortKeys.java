package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(from, keys, largest, groups, count, stride): an int for each float of a line, in the order of the floats, the wanted ones
 * being large; zeros of both signs are equal, and NaN is above all floats.
 *
 * <p>Keys lie side by side in groups; each group's largest key goes where the largest are, which have a vector without a
 * key behind them. groups has the number of vectors of a group in its lower half, of whole groups in its upper half; keys
 * that the last group lacks are the least int, which is no key. The stride is that of the floats, in elements.
 */
final class SortKeys implements KernelFamily {
    static final String NAME = "select.keys";
    /** Less than all keys. */
    static final Constant NO_KEY = Constant.ofBits(Integer.MIN_VALUE);

    private static final Constant QUIET_NAN = Constant.of(Float.NaN);

    /** @param strided whether the floats do not lie side by side */
    static KernelKey key(Best.Extreme extreme, boolean strided) {
        return KernelKey.of(NAME).with("extreme", extreme).with("strided", strided ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("extreme", "strided");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final boolean smallest;
        private final boolean strided;
        private final int lanes;
        private final ScalarVar from;
        private final ScalarVar keys;
        private final ScalarVar largest;
        private final ScalarVar groups;
        private final ScalarVar count;
        private final ScalarVar stride;
        private final VectorVar places;

        Writer(KernelKey key, Target target) {
            smallest = key.oneOf("extreme", Best.Extreme.values()) == Best.Extreme.SMALLEST;
            strided = key.number("strided", 0, 1) == 1;
            lanes = target.lanes();
            builder = new ProgramBuilder(key.toString(), target);
            from = builder.parameter("from");
            keys = builder.parameter("keys");
            largest = builder.parameter("largest");
            groups = builder.parameter("groups");
            count = builder.parameter("count");
            stride = builder.parameter("stride");
            places = builder.binary(BinaryOp.INT_MUL, LaneSums.laneNumbers(builder), builder.broadcast(stride));
            builder.scalar(stride, ScalarOp.MUL, stride, 4 * lanes);
        }

        Program program() {
            VectorVar most = builder.vector("most");
            ScalarVar vectors = builder.low(groups, "vectors");
            ScalarVar whole = builder.high(groups, "whole");
            try (var _ = builder.loop(whole, 1)) {
                group(most, vectors, false);
            }
            try (var _ = builder.ifNotZero(count)) {
                group(most, vectors, true);
            }
            builder.set(most, NO_KEY);
            builder.store(Address.at(largest, 0), most);
            return builder.build();
        }

        /** The vector of the largest key that it writes reaches behind its place: what comes next takes that. */
        private void group(VectorVar most, ScalarVar vectors, boolean partial) {
            builder.set(most, NO_KEY);
            ScalarVar left = builder.copy(vectors, "left");
            try (var _ = builder.loop(left, 1)) {
                VectorVar some = partial ? rest() : keys(read(null));
                builder.binary(most, BinaryOp.INT_MAX, most, some);
                builder.store(Address.at(keys, 0), some);
                builder.advance(from, stride);
                builder.advance(keys, 4 * lanes);
                builder.scalar(count, ScalarOp.SUB, count, lanes);
            }
            builder.store(Address.at(largest, 0), LaneReduction.write(builder, BinaryOp.INT_MAX, most));
            builder.advance(largest, 4);
        }

        private VectorVar read(@Nullable MaskVar mask) {
            return strided ? builder.gather(from, places, mask) : builder.load(Address.at(from, 0), mask);
        }

        private VectorVar rest() {
            ScalarVar some = builder.scalar("some");
            builder.scalar(some, ScalarOp.MAX, count, 0);
            builder.scalar(some, ScalarOp.MIN, some, lanes);
            MaskVar mask = builder.prefixMask(some);
            return builder.select(mask, keys(read(mask)), NO_KEY);
        }

        private VectorVar keys(VectorVar vector) {
            VectorVar sameZeros = builder.add(vector, Constant.ZERO);
            MaskVar isNaN = builder.compare(Comparison.UNORDERED, vector, vector);
            VectorVar bits = builder.select(isNaN, QUIET_NAN, sameZeros);
            VectorVar sign = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, bits, Constant.ofBits(31));
            VectorVar flipped = builder.binary(BinaryOp.AND, sign, Constant.ofBits(Integer.MAX_VALUE));
            VectorVar ordered = builder.binary(BinaryOp.XOR, bits, flipped);
            return smallest ? builder.binary(BinaryOp.XOR, ordered, Constant.ofBits(-1)) : ordered;
        }
    }
}
