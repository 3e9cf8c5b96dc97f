package dev.millrace.kernels.resize;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(table, from, to, rows, sizes, stride of from in bytes): each result is an element, the sum of some elements of its
 * row of from by their weights. sizes is results in a row | taps &lt;&lt; 32. The table has for each vector of results
 * and each tap a vector of element numbers and one of weights, zeros behind the last result.
 */
final class BlendElements implements KernelFamily {
    static final String NAME = "resize.elements";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar table = builder.parameter("table");
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar rows = builder.parameter("rows");
        ScalarVar sizes = builder.parameter("sizes");
        ScalarVar stride = builder.parameter("stride");
        try (var _ = builder.loop(rows, 1)) {
            ScalarVar tap = builder.copy(table, "tap");
            ScalarVar left = builder.low(sizes, "left");
            try (var _ = builder.loop(left, lanes)) {
                blend(builder, tap, from, to, sizes, null);
                builder.advance(to, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                blend(builder, tap, from, to, sizes, builder.prefixMask(left));
                builder.scalar(left, ScalarOp.SHL, left, 2);
                builder.advance(to, left);
            }
            builder.advance(from, stride);
        }
        return builder.build();
    }

    private static void blend(
            ProgramBuilder builder,
            ScalarVar tap,
            ScalarVar from,
            ScalarVar to,
            ScalarVar sizes,
            @Nullable MaskVar mask) {
        int bytes = builder.target().vectorBytes();
        VectorVar sum = builder.vector("sum");
        builder.set(sum, Constant.ZERO);
        ScalarVar taps = builder.high(sizes, "taps");
        try (var _ = builder.loop(taps, 1)) {
            VectorVar elements = builder.gather(from, builder.load(Address.at(tap, 0)), null);
            builder.accumulate(sum, elements, builder.load(Address.at(tap, bytes)));
            builder.advance(tap, 2 * bytes);
        }
        builder.store(Address.at(to, 0), sum, mask);
    }
}
