package dev.millrace.kernels.conv.quantised;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;

/**
 * f(from, to, rows, from step, to step, bytes): copies rows of bytes that lie apart. A row may be copied many times, by
 * a step of 0.
 */
public final class CopyRows implements KernelFamily {
    private static final String NAME = "conv.s8.rows";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar rows = builder.parameter("rows");
        ScalarVar fromStep = builder.parameter("fromStep");
        ScalarVar toStep = builder.parameter("toStep");
        ScalarVar bytes = builder.parameter("bytes");
        try (var _ = builder.loop(rows, 1)) {
            ScalarVar source = builder.copy(from, "source");
            ScalarVar place = builder.copy(to, "place");
            ScalarVar left = builder.copy(bytes, "left");
            try (var _ = builder.loop(left, target.vectorBytes())) {
                builder.store(Address.at(place, 0), builder.load(Address.at(source, 0)));
                builder.advance(source, target.vectorBytes());
                builder.advance(place, target.vectorBytes());
            }
            for (int step : new int[] {Long.BYTES, 1}) {
                try (var _ = builder.loop(left, step)) {
                    builder.move(Address.at(place, 0), Address.at(source, 0), step);
                    builder.advance(source, step);
                    builder.advance(place, step);
                }
            }
            builder.advance(from, fromStep);
            builder.advance(to, toStep);
        }
        return builder.build();
    }
}
