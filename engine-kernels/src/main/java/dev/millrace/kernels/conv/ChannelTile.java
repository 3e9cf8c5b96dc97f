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
 * The kernel f(in, out, pixels, lanes): writes one block of channels, pixel by pixel. {@code lanes} points to two rows
 * of ints. The first has, for each lane, the distance in elements from {@code in} to its channel in the first pixel, or
 * -1 if the lane becomes zero. The second has 1 for each lane that is written at all.
 */
final class ChannelTile implements KernelFamily {
    static final String NAME = "conv.f32.channels";

    /** The source of the channels of a block. */
    enum Source {
        /** No source: the channels become zero. */
        NOTHING,
        /** One block, in which each channel has its own lane. */
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
