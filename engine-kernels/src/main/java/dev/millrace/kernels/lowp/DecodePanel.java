package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.gemm.GemmTile;

/** f(blocks, to, count): stored weights of a panel as the floats that they stand for, row by row. */
final class DecodePanel implements KernelFamily {
    static final String NAME = "gemm.stored.decode";

    static KernelKey key(WeightFormat format, int vectors) {
        return format.in(KernelKey.of(NAME)).with("vectors", vectors);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("type", "block", "zeros", "scales", "vectors");
        WeightFormat format = WeightFormat.of(key);
        int vectors = key.number("vectors", 1, GemmTile.MAX_VECTORS);
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        WeightSteps steps = new WeightSteps(builder, format, vectors);
        ScalarVar blocks = builder.parameter("blocks");
        ScalarVar to = builder.parameter("to");
        ScalarVar count = builder.parameter("count");
        int row = target.vectorBytes() * vectors;
        int depth = format.type().group();
        try (var _ = builder.loop(count, 1)) {
            VectorVar[] scale = new VectorVar[vectors];
            VectorVar[] zero = new VectorVar[vectors];
            for (int j = 0; j < vectors && format.type().isBlocked(); j++) {
                scale[j] = steps.scale(blocks, j);
                zero[j] = format.zeros() ? steps.zero(blocks, j) : scale[j];
            }
            builder.advance(blocks, steps.termBytes());
            ScalarVar groups = builder.scalar("groups");
            builder.set(groups, format.block() / depth);
            try (var _ = builder.loop(groups, 1)) {
                for (int j = 0; j < vectors; j++) {
                    VectorVar group = steps.group(blocks, 0, j);
                    for (int i = 0; i < depth; i++) {
                        VectorVar weight = steps.weight(group, i);
                        weight = format.zeros() ? builder.sub(weight, zero[j]) : weight;
                        weight = format.type().isBlocked() ? builder.mul(weight, scale[j]) : weight;
                        builder.store(Address.at(to, i * row + j * target.vectorBytes()), weight);
                    }
                }
                builder.advance(blocks, steps.groupBytes());
                builder.advance(to, depth * row);
            }
        }
        return builder.build();
    }
}
