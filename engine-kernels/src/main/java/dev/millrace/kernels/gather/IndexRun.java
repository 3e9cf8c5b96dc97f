package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** f(table, count, scale, start, step): {@code table[i] = table[i] * scale + start + step * i}, in 32 bits. */
final class IndexRun implements KernelFamily {
    static final String NAME = "rows.run";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar table = builder.parameter("table");
        ScalarVar count = builder.parameter("count");
        VectorVar scale = builder.broadcast(builder.parameter("scale"));
        VectorVar start = builder.broadcast(builder.parameter("start"));
        VectorVar step = builder.broadcast(builder.parameter("step"));
        VectorVar added = builder.binary(
                BinaryOp.INT_ADD, start, builder.binary(BinaryOp.INT_MUL, step, LaneSums.laneNumbers(builder)));
        VectorVar further = builder.binary(BinaryOp.INT_MUL, step, Constant.ofBits(lanes));
        try (var _ = builder.loop(count, lanes)) {
            some(builder, table, scale, added, null);
            builder.binary(added, BinaryOp.INT_ADD, added, further);
            builder.advance(table, 4 * lanes);
        }
        try (var _ = builder.ifNotZero(count)) {
            some(builder, table, scale, added, builder.prefixMask(count));
        }
        return builder.build();
    }

    private static void some(
            ProgramBuilder builder, ScalarVar table, VectorVar scale, VectorVar added, @Nullable MaskVar mask) {
        VectorVar scaled = builder.binary(BinaryOp.INT_MUL, builder.load(Address.at(table, 0), mask), scale);
        builder.store(Address.at(table, 0), builder.binary(BinaryOp.INT_ADD, scaled, added), mask);
    }
}
