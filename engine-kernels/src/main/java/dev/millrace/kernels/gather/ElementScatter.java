package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;

/**
 * f(table, given, out, count): {@code out[table[i]] = given[i]}, one after the other. Places that are some elements ahead
 * are fetched before they are written. The parameter {@code bytes} is the size of an element.
 */
final class ElementScatter implements KernelFamily {
    static final String NAME = "rows.puts";
    private static final String BYTES = "bytes";
    private static final int UNROLL = 4;
    private static final int AHEAD = 64;

    /** @param bytes of an element: 1, 2, 4 or 8 */
    static KernelKey key(int bytes) {
        return KernelKey.of(NAME).with(BYTES, bytes);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(BYTES);
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int bytes;
        private final ScalarVar table;
        private final ScalarVar given;
        private final ScalarVar out;
        private final ScalarVar count;

        Writer(KernelKey key, Target target) {
            bytes = key.powerOfTwo(BYTES, Long.BYTES);
            builder = new ProgramBuilder(key.toString(), target);
            table = builder.parameter("table");
            given = builder.parameter("given");
            out = builder.parameter("out");
            count = builder.parameter("count");
        }

        Program program() {
            builder.scalar(count, ScalarOp.SUB, count, AHEAD);
            try (var _ = builder.loop(count, UNROLL)) {
                some(UNROLL, true);
            }
            builder.advance(count, AHEAD);
            try (var _ = builder.loop(count, 1)) {
                some(1, false);
            }
            return builder.build();
        }

        private void some(int elements, boolean fetch) {
            for (int i = 0; i < elements; i++) {
                if (fetch) {
                    builder.prefetch(place(AHEAD + i));
                }
                builder.move(place(i), Address.at(given, bytes * i), bytes);
            }
            builder.advance(table, Integer.BYTES * elements);
            builder.advance(given, bytes * elements);
        }

        private Address place(int entry) {
            ScalarVar place = builder.loadInt(Address.at(table, Integer.BYTES * entry), "place");
            return Address.at(out, place, bytes, 0);
        }
    }
}
