package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;

/**
 * f(table, data, out, count, blocks, stride): {@code out[i] = data[table[i]]}, one after the other, for each of some
 * blocks of data; the stride from one to the next is in bytes. The parameter {@code bytes} is the size of an element.
 */
public final class ElementGather implements KernelFamily {
    public static final String NAME = "rows.elements";
    private static final String BYTES = "bytes";
    private static final int UNROLL = 8;

    /** Whether there are kernels for elements of so many bytes. */
    public static boolean takes(long bytes) {
        return bytes >= 1 && bytes <= Long.BYTES && Long.bitCount(bytes) == 1;
    }

    /** @param bytes of an element: 1, 2, 4 or 8 */
    public static KernelKey key(int bytes) {
        return KernelKey.of(NAME).with(BYTES, bytes);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(BYTES);
        int bytes = key.powerOfTwo(BYTES, Long.BYTES);
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
            for (int elements = UNROLL; elements > 0; elements /= UNROLL) {
                try (var _ = builder.loop(left, elements)) {
                    for (int i = 0; i < elements; i++) {
                        ScalarVar place = builder.loadInt(Address.at(numbers, Integer.BYTES * i), "place");
                        builder.move(Address.at(out, bytes * i), Address.at(data, place, bytes, 0), bytes);
                    }
                    builder.advance(numbers, Integer.BYTES * elements);
                    builder.advance(out, bytes * elements);
                }
            }
            builder.advance(data, stride);
        }
        return builder.build();
    }
}
