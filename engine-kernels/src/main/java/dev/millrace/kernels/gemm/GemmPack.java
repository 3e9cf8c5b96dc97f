package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/** f(B, packed, rows, ldb in bytes, tail): copies rows of a panel close together, the last vector filled with zeros. */
public final class GemmPack implements KernelFamily {
    public static final String NAME = "gemm.f32.pack";

    /** @param vectors the width of the panel, the last one in part */
    public static KernelKey key(int vectors) {
        return KernelKey.of(NAME).with("vectors", vectors);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("vectors");
        int vectors = key.number("vectors", 1, GemmTile.MAX_VECTORS);
        int bytes = target.vectorBytes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar rows = builder.parameter("rows");
        ScalarVar stride = builder.parameter("stride");
        ScalarVar tail = builder.parameter("tail");
        MaskVar mask = builder.prefixMask(tail);
        try (var _ = builder.loop(rows, 1)) {
            for (int j = 0; j < vectors; j++) {
                VectorVar row = builder.load(Address.at(from, j * bytes), j == vectors - 1 ? mask : null);
                builder.store(Address.at(to, j * bytes), row);
            }
            builder.advance(from, stride);
            builder.advance(to, vectors * bytes);
        }
        return builder.build();
    }
}
