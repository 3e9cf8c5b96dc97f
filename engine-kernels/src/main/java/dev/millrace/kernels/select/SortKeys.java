package dev.millrace.kernels.select;

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

/**
 * f(from, keys, largest, count, stride): an int for each float of a line, in the order of the floats, the wanted ones
 * being large; zeros of both signs are equal, and NaN is above all floats.
 *
 * <p>Each whole group of {@value #GROUP} vectors also gets a vector of the largest of their keys, lane by lane. The
 * stride is that of the floats, in elements; keys lie side by side.
 */
public final class SortKeys implements KernelFamily {
    /** Vectors in a group. */
    static final int GROUP = 8;

    public static final String NAME = "select.keys";
    private static final Constant QUIET_NAN = Constant.of(Float.NaN);

    /** @param strided whether the floats do not lie side by side */
    public static KernelKey key(Best.Extreme extreme, boolean strided) {
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
            count = builder.parameter("count");
            stride = builder.parameter("stride");
            places = builder.binary(BinaryOp.INT_MUL, LaneSums.laneNumbers(builder), builder.spread(stride));
            builder.scalar(stride, ScalarOp.MUL, stride, 4 * lanes);
        }

        Program program() {
            ScalarVar vectors = builder.scalar("vectors");
            try (var _ = builder.loop(count, GROUP * lanes)) {
                VectorVar most = builder.vector("most");
                builder.set(most, Constant.ofBits(Integer.MIN_VALUE));
                builder.set(vectors, GROUP);
                try (var _ = builder.loop(vectors, 1)) {
                    VectorVar some = whole();
                    builder.binary(most, BinaryOp.INT_MAX, most, some);
                }
                builder.store(Address.at(largest, 0), most);
                builder.advance(largest, 4 * lanes);
            }
            try (var _ = builder.loop(count, lanes)) {
                whole();
            }
            try (var _ = builder.ifNotZero(count)) {
                MaskVar mask = builder.firstLanes(count);
                VectorVar given =
                        strided ? builder.gather(from, places, mask) : builder.load(Address.at(from, 0), mask);
                builder.store(Address.at(keys, 0), keys(given), mask);
            }
            return builder.build();
        }

        private VectorVar whole() {
            VectorVar given = strided ? builder.gather(from, places, null) : builder.load(Address.at(from, 0));
            VectorVar some = keys(given);
            builder.store(Address.at(keys, 0), some);
            builder.advance(from, stride);
            builder.advance(keys, 4 * lanes);
            return some;
        }

        private VectorVar keys(VectorVar given) {
            VectorVar sameZeros = builder.add(given, Constant.ZERO);
            MaskVar isNaN = builder.compare(Comparison.UNORDERED, given, given);
            VectorVar bits = builder.select(isNaN, QUIET_NAN, sameZeros);
            VectorVar sign = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, bits, Constant.ofBits(31));
            VectorVar flipped = builder.binary(BinaryOp.AND, sign, Constant.ofBits(Integer.MAX_VALUE));
            VectorVar ordered = builder.binary(BinaryOp.XOR, bits, flipped);
            return smallest ? builder.binary(BinaryOp.XOR, ordered, Constant.ofBits(-1)) : ordered;
        }
    }
}
