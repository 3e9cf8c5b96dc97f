package dev.millrace.kernels.cast;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.WideNumbers.Halves;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * f(to, from, count, stride of to, stride of from, rows): rows of numbers of one type become numbers of another; strides
 * are in bytes. Floats become ints, ints lose bits and numbers become true as {@link Cast} says.
 */
public final class ConvertFamily implements KernelFamily {
    public static final String NAME = "convert";
    private static final int UNROLL = 4;

    /** Whether there is a kernel for this conversion. Doubles pass through floats of 32 bits, to narrower ones too. */
    static boolean knows(NumberType from, NumberType to) {
        if (from == NumberType.F64) {
            return to.isFloat() && to != NumberType.F64;
        }
        if (to == NumberType.F64) {
            return from.fitsLane() && (from.isFloat() || from.bits() < Integer.SIZE);
        }
        return (from.fitsLane() || isWideInt(from)) && (to.fitsLane() || isWideInt(to));
    }

    private static boolean isWideInt(NumberType type) {
        return type == NumberType.S64 || type == NumberType.U64;
    }

    /** @param streamed whether each row of the target is aligned to vectors, and is written past the caches */
    public static KernelKey key(NumberType from, NumberType to, boolean streamed) {
        return KernelKey.of(NAME).with("from", from).with("to", to).with("streamed", streamed ? 1 : 0);
    }

    /** Whether numbers of a type can be written past the caches. */
    static boolean canStream(NumberType to) {
        return to.bits() >= Integer.SIZE;
    }

    private static NumberType[] types(Predicate<NumberType> which) {
        return Arrays.stream(NumberType.values()).filter(which).toArray(NumberType[]::new);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("from", "to", "streamed");
        var builder = new ProgramBuilder(key.toString(), target);
        NumberType from = key.oneOf("from", types(type -> knows(type, NumberType.F32)));
        NumberType to = key.oneOf("to", types(type -> knows(from, type)));
        boolean streamed = key.number("streamed", 0, canStream(to) ? 1 : 0) == 1;
        return new Writer(builder, from, to, streamed).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WideNumbers wide;
        private final LanePairs pairs;
        private final NumberType from;
        private final NumberType to;
        private final boolean streamed;
        private final int lanes;
        private final ScalarVar target;
        private final ScalarVar source;
        /** Numbers of a row that are left. */
        private final ScalarVar left;

        Writer(ProgramBuilder builder, NumberType from, NumberType to, boolean streamed) {
            this.builder = builder;
            this.from = from;
            this.to = to;
            this.streamed = streamed;
            wide = new WideNumbers(builder);
            pairs = new LanePairs(builder);
            lanes = builder.target().lanes();
            target = builder.scalar("target");
            source = builder.scalar("source");
            left = builder.scalar("left");
        }

        Program program() {
            ScalarVar firstTarget = builder.parameter("to");
            ScalarVar firstSource = builder.parameter("from");
            ScalarVar count = builder.parameter("count");
            ScalarVar targetStride = builder.parameter("stride of to");
            ScalarVar sourceStride = builder.parameter("stride of from");
            ScalarVar rows = builder.parameter("rows");
            try (var _ = builder.loop(rows, 1)) {
                builder.set(target, firstTarget);
                builder.set(source, firstSource);
                builder.set(left, count);
                row();
                builder.advance(firstTarget, targetStride);
                builder.advance(firstSource, sourceStride);
            }
            return builder.build();
        }

        private void row() {
            vectors(UNROLL);
            vectors(1);
            try (var _ = builder.ifNotZero(left)) {
                vector(0, builder.prefixMask(left), needsMasks() ? pairs.masks(left) : null);
            }
        }

        private boolean needsMasks() {
            return isWideInt(from) || isWideInt(to);
        }

        private void vectors(int number) {
            try (var _ = builder.loop(left, number * lanes)) {
                for (int i = 0; i < number; i++) {
                    vector(i, null, null);
                }
                builder.advance(source, (int) from.bytes((long) number * lanes));
                builder.advance(target, (int) to.bytes((long) number * lanes));
            }
        }

        private void vector(int index, @Nullable MaskVar mask, LanePairs.@Nullable Masks masks) {
            Address in = Address.at(source, (int) from.bytes((long) index * lanes));
            Address out = Address.at(target, (int) to.bytes((long) index * lanes));
            boolean fromWide = isWideInt(from);
            Halves halves = fromWide ? wide.load(in, masks) : null;
            VectorVar number = fromWide ? null : LaneNumbers.load(builder, from, in, mask);
            if (isWideInt(to)) {
                Halves wider = halves != null ? halves : widened(pairs.paired(Objects.requireNonNull(number)));
                if (streamed && masks == null) {
                    wide.stream(out, wider);
                } else {
                    wide.store(out, wider, masks);
                }
            } else {
                VectorVar result =
                        halves != null ? pairs.inOrder(narrowed(halves)) : converted(Objects.requireNonNull(number));
                if (streamed && mask == null) {
                    builder.stream(LaneNumbers.element(to), out, result);
                } else {
                    LaneNumbers.store(builder, to, out, result, mask);
                }
            }
        }

        private Halves widened(VectorVar number) {
            if (from.isFloat()) {
                return wide.ofFloat(number, to.isSigned());
            }
            ProgramValue high = from.isSigned()
                    ? builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, number, Constant.ofBits(Integer.SIZE - 1))
                    : Constant.ZERO;
            return new Halves(number, high);
        }

        private VectorVar narrowed(Halves numbers) {
            if (to == NumberType.BOOL) {
                return oneUnlessZero(builder.binary(BinaryOp.OR, numbers.low(), numbers.high()));
            }
            return to.isFloat() ? wide.toFloat(numbers, from.isSigned()) : numbers.low();
        }

        private VectorVar converted(VectorVar number) {
            if (to == NumberType.BOOL) {
                return from.isFloat() ? oneUnlessZeroFloat(number) : oneUnlessZero(number);
            }
            if (from.isFloat() == to.isFloat()) {
                return number;
            }
            return to.isFloat() ? toFloat(number) : toInt(number);
        }

        private VectorVar oneUnlessZero(VectorVar number) {
            MaskVar zero = builder.compare(Comparison.INT_EQUAL, number, Constant.ZERO);
            return builder.select(zero, Constant.ZERO, Constant.ofBits(1));
        }

        /** NaN is not zero. */
        private VectorVar oneUnlessZeroFloat(VectorVar number) {
            MaskVar zero = builder.compare(Comparison.EQUAL, number, Constant.ZERO);
            return builder.select(zero, Constant.ZERO, Constant.ofBits(1));
        }

        /** Ints without sign are two exact floats. */
        private VectorVar toFloat(VectorVar number) {
            if (from != NumberType.U32) {
                return builder.unary(UnaryOp.TO_FLOAT, number);
            }
            VectorVar upper = builder.binary(BinaryOp.SHIFT_RIGHT, number, Constant.ofBits(16));
            VectorVar lower = builder.binary(BinaryOp.AND, number, Constant.ofBits(0xffff));
            VectorVar upperFloat = builder.unary(UnaryOp.TO_FLOAT, upper);
            return builder.multiplyAdd(upperFloat, Constant.of(0x1p16f), builder.unary(UnaryOp.TO_FLOAT, lower));
        }

        private VectorVar toInt(VectorVar number) {
            VectorVar whole = builder.unary(UnaryOp.TRUNCATE, number);
            return wide.toInt(whole, to != NumberType.U32);
        }
    }
}
