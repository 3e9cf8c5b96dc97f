package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * f(in, out, pixels, lanes): writes one block of channels, pixel by pixel. {@code lanes} is memory of ints: for each lane
 * how many elements behind {@code in} its channel is in the first pixel, or -1 if it becomes zero; then, for each, 1 if
 * it is written at all.
 */
final class ChannelTile implements KernelFamily {
    static final String NAME = "conv.f32.channels";

    /** Where the channels of a block come from. */
    enum Source {
        /** Nowhere: they become zero. */
        NOTHING,
        /** From one block, in which each has its own lane. */
        SAME_LANES,
        ANYWHERE
    }

    /** @param all whether all lanes are written */
    static KernelKey key(Source source, boolean all) {
        return KernelKey.of(NAME).with("source", source).with("all", all ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("source", "all");
        Source source = key.oneOf("source", Source.values());
        return program(key.toString(), target, source, key.number("all", 0, 1) == 1);
    }

    private static Program program(String name, Target target, Source source, boolean all) {
        var builder = new ProgramBuilder(name, target);
        int bytes = target.vectorBytes();
        ScalarVar in = builder.parameter("in");
        ScalarVar out = builder.parameter("out");
        ScalarVar pixels = builder.parameter("pixels");
        ScalarVar lanes = builder.parameter("lanes");
        VectorVar from = builder.load(Address.at(lanes, 0));
        MaskVar isThere = builder.compare(Comparison.INT_GREATER, from, Constant.ofBits(-1));
        VectorVar wanted = builder.load(Address.at(lanes, bytes));
        MaskVar written = all ? null : builder.compare(Comparison.INT_GREATER, wanted, Constant.ZERO);
        VectorVar zero = builder.vector("zero");
        builder.set(zero, Constant.ZERO);
        try (var _ = builder.loop(pixels, 1)) {
            VectorVar block = switch (source) {
                case NOTHING -> zero;
                case SAME_LANES -> builder.load(Address.at(in, 0), isThere);
                case ANYWHERE -> builder.gather(in, from, isThere);
            };
            builder.store(Address.at(out, 0), block, written);
            builder.advance(in, bytes);
            builder.advance(out, bytes);
        }
        return builder.build();
    }
}
