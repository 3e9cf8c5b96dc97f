package dev.millrace.kernels.rows;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;

/** f(table, data, out, count): {@code out[i] = data[table[i]]} for elements of 32 bits. */
public final class ElementGather implements KernelFamily {
    private static final String NAME = "rows.elements";

    public static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public String name() {
        return NAME;
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
        try (var _ = builder.loop(count, lanes)) {
            builder.store(Address.at(out, 0), builder.gather(data, builder.load(Address.at(table, 0)), null));
            builder.advance(table, 4 * lanes);
            builder.advance(out, 4 * lanes);
        }
        try (var _ = builder.ifNotZero(count)) {
            MaskVar mask = builder.firstLanes(count);
            builder.store(
                    Address.at(out, 0), builder.gather(data, builder.load(Address.at(table, 0), mask), mask), mask);
        }
        return builder.build();
    }
}
