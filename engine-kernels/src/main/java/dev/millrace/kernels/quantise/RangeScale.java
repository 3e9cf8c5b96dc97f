package dev.millrace.kernels.quantise;

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

/**
 * f(ranges, count, scale, zero): the scale, a float, and the zero point, an int, with which bytes without sign just hold
 * some ranges, each as {@link RangeOf} leaves it, {@value #STEP} bytes apart.
 */
final class RangeScale implements KernelFamily {
    static final String NAME = "range.scale";
    static final int STEP = 64;
    private static final Constant STEPS = Constant.of(255f);

    static final KernelKey KEY = KernelKey.of(NAME);

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar ranges = builder.parameter("ranges");
        ScalarVar count = builder.parameter("count");
        ScalarVar scale = builder.parameter("scale");
        ScalarVar zero = builder.parameter("zero");
        VectorVar least = builder.vector("least");
        VectorVar most = builder.vector("most");
        builder.set(least, Constant.ZERO);
        builder.set(most, Constant.ZERO);
        try (var _ = builder.loop(count, 1)) {
            builder.binary(least, BinaryOp.MIN, builder.broadcast(Address.at(ranges, 0)), least);
            builder.binary(most, BinaryOp.MAX, builder.broadcast(Address.at(ranges, 4)), most);
            builder.advance(ranges, STEP);
        }
        VectorVar range = builder.binary(BinaryOp.DIV, builder.binary(BinaryOp.SUB, most, least), STEPS);
        MaskVar isNothing = builder.compare(Comparison.EQUAL, range, Constant.ZERO);
        VectorVar step = builder.select(isNothing, Constant.of(1f), range);
        builder.storeFirst(Address.at(scale, 0), step);
        VectorVar below = builder.binary(BinaryOp.DIV, least, step);
        // of an endless range it is no number, of which the greater one is 0
        VectorVar point =
                builder.binary(BinaryOp.MAX, builder.binary(BinaryOp.SUB, Constant.ZERO, below), Constant.ZERO);
        builder.storeFirst(Address.at(zero, 0), builder.unary(UnaryOp.TO_INT, builder.min(point, STEPS)));
        return builder.build();
    }
}
