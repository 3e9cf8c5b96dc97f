package dev.millrace.kernels.rows;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;

/**
 * f(table, data, out, count, blocks, stride): {@code out[i] = data[table[i]]} for elements of 32 bits, for each of some
 * blocks of data; the stride from one to the next is in bytes.
 */
public final class ElementGather implements KernelFamily {
    public static final String NAME = "rows.elements";

    public static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar table = builder.parameter("table");
        ScalarVar data = builder.parameter("data");
        ScalarVar out = builder.parameter("out");
        ScalarVar count = builder.parameter("count");
        ScalarVar blocks = builder.parameter("blocks");
        ScalarVar stride = builder.parameter("stride");
        try (var _ = builder.loop(blocks, 1)) {
            ScalarVar numbers = builder.copy(table, "numbers");
            ScalarVar left = builder.copy(count, "left");
            try (var _ = builder.loop(left, lanes)) {
                VectorVar places = builder.load(Address.at(numbers, 0));
                builder.store(Address.at(out, 0), builder.gather(data, places, null));
                builder.advance(numbers, 4 * lanes);
                builder.advance(out, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                MaskVar mask = builder.firstLanes(left);
                VectorVar places = builder.load(Address.at(numbers, 0), mask);
                builder.store(Address.at(out, 0), builder.gather(data, places, mask), mask);
                builder.scalar(left, ScalarOp.SHL, left, 2);
                builder.advance(out, left);
            }
            builder.advance(data, stride);
        }
        return builder.build();
    }
}
