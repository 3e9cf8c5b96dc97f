package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.LaneNumbers;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.reduce.ReduceOp.After;
import org.jspecify.annotations.Nullable;

/**
 * f(out, in, shift, count, divisor): makes results of floats, in the type that is wanted. divisor has the bits of a
 * float; shift has a float for each of them, where one is added.
 */
final class ReduceFinish implements KernelFamily {
    static final String NAME = "reduce.finish";
    private static final NumberType[] TYPES = {NumberType.F32, NumberType.F16, NumberType.BF16};

    static KernelKey key(After after, NumberType to) {
        return KernelKey.of(NAME).with("after", after).with("to", to);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("after", "to");
        var builder = new ProgramBuilder(key.toString(), target);
        return new Writer(builder, key.oneOf("after", After.values()), key.oneOf("to", TYPES)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final After after;
        private final NumberType type;
        private final ScalarVar out;
        private final ScalarVar in;
        private final ScalarVar shift;
        private final ScalarVar count;
        private final VectorVar divisor;

        Writer(ProgramBuilder builder, After after, NumberType type) {
            this.builder = builder;
            this.after = after;
            this.type = type;
            out = builder.parameter("out");
            in = builder.parameter("in");
            shift = builder.parameter("shift");
            count = builder.parameter("count");
            divisor = builder.broadcast(builder.parameter("divisor"));
        }

        Program program() {
            int lanes = builder.target().lanes();
            try (var _ = builder.loop(count, lanes)) {
                vector(null);
                builder.advance(out, (int) type.bytes(lanes));
                builder.advance(in, Float.BYTES * lanes);
                builder.advance(shift, Float.BYTES * lanes);
            }
            try (var _ = builder.ifNotZero(count)) {
                vector(builder.prefixMask(count));
            }
            return builder.build();
        }

        private void vector(@Nullable MaskVar mask) {
            VectorVar x = builder.load(Address.at(in, 0), mask);
            LaneNumbers.store(builder, type, Address.at(out, 0), finished(x, mask), mask);
        }

        private VectorVar finished(VectorVar x, @Nullable MaskVar mask) {
            return switch (after) {
                case NONE -> x;
                case DIVIDE -> builder.div(x, divisor);
                case SQRT -> builder.unary(UnaryOp.SQRT, x);
                case LOG -> FloatFunction.LOG.write(builder, x);
                case LOG_PLUS -> {
                    VectorVar logarithm = FloatFunction.LOG.write(builder, x);
                    yield builder.add(logarithm, builder.load(Address.at(shift, 0), mask));
                }
                case FINITE -> {
                    VectorVar magnitude = builder.binary(BinaryOp.AND, x, Constant.ofBits(0x7fffffff));
                    Constant infinity = Constant.of(Float.POSITIVE_INFINITY);
                    MaskVar infinite = builder.compare(Comparison.EQUAL, magnitude, infinity);
                    yield builder.select(infinite, Constant.ZERO, x);
                }
            };
        }
    }
}
