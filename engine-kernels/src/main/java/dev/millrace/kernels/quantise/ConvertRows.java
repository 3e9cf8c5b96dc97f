package dev.millrace.kernels.quantise;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** f(from, to, count, stride of from, stride of to, rows): floats of one type to another; strides are in bytes. */
public final class ConvertRows implements KernelFamily {
    public static final String NAME = "quantise.convert";
    private static final int UNROLL = 4;

    /** The kernel from one type to another. */
    public static KernelKey key(FloatType from, FloatType to) {
        return KernelKey.of(NAME).with("from", from).with("to", to);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("from", "to");
        FloatType typeIn = key.oneOf("from", FloatType.values());
        FloatType typeOut = key.oneOf("to", FloatType.values());
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar count = builder.parameter("count");
        ScalarVar strideIn = builder.parameter("stride in");
        ScalarVar strideOut = builder.parameter("stride out");
        ScalarVar rows = builder.parameter("rows");
        try (var _ = builder.loop(rows, 1)) {
            ScalarVar in = builder.copy(from, "in");
            ScalarVar out = builder.copy(to, "out");
            ScalarVar left = builder.copy(count, "left");
            for (int vectors : new int[] {UNROLL, 1}) {
                try (var _ = builder.loop(left, vectors * lanes)) {
                    for (int i = 0; i < vectors; i++) {
                        vector(builder, typeIn, typeOut, in, out, i * lanes, null);
                    }
                    builder.advance(in, vectors * lanes * typeIn.bytes());
                    builder.advance(out, vectors * lanes * typeOut.bytes());
                }
            }
            try (var _ = builder.ifNotZero(left)) {
                vector(builder, typeIn, typeOut, in, out, 0, builder.firstLanes(left));
            }
            builder.advance(from, strideIn);
            builder.advance(to, strideOut);
        }
        return builder.build();
    }

    private static void vector(
            ProgramBuilder builder,
            FloatType typeIn,
            FloatType typeOut,
            ScalarVar in,
            ScalarVar out,
            int element,
            @Nullable MaskVar mask) {
        VectorVar x = typeIn.load(builder, Address.at(in, element * typeIn.bytes()), mask);
        typeOut.store(builder, Address.at(out, element * typeOut.bytes()), x, mask);
    }
}
