package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(indices, stride in bytes, count, limit, table, wrong): converts indices to numbers of 32 bits from 0 on;
 * negative indices count from the limit, which is more than 0. The word at wrong becomes 0 if all are in range, else
 * another number.
 */
final class IndexTable implements KernelFamily {
    static final String NAME = "rows.indices";

    /** The position of an index in a tuple. */
    enum Part {
        /** No tuple: indices are contiguous, and the stride is not used. */
        ALONE,
        /** The first one of a tuple. */
        FIRST,
        /** A later one of a tuple: the table of those before it is multiplied by the limit and added. */
        FURTHER
    }

    /** @param wide whether indices have 64 bits */
    static KernelKey key(boolean wide, Part part) {
        return KernelKey.of(NAME).with("wide", wide ? 1 : 0).with("part", part);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("wide", "part");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Part part;
        private final ScalarVar indices;
        private final ScalarVar stride;
        private final ScalarVar count;
        private final ScalarVar table;
        private final ScalarVar wrong;
        private final VectorVar limit;
        private final IndexReader reader;

        Writer(KernelKey key, Target target) {
            part = key.oneOf("part", Part.values());
            builder = new ProgramBuilder(key.toString(), target);
            indices = builder.parameter("indices");
            stride = builder.parameter("stride");
            count = builder.parameter("count");
            limit = builder.broadcast(builder.parameter("limit"));
            table = builder.parameter("table");
            wrong = builder.parameter("wrong");
            reader = new IndexReader(builder, key.number("wide", 0, 1) == 1, limit);
        }

        Program program() {
            int lanes = builder.target().lanes();
            VectorVar places = part == Part.ALONE ? null : places();
            try (var _ = builder.loop(count, lanes)) {
                store(places == null ? reader.read(indices, null) : reader.read(indices, places, null), null);
                if (places == null) {
                    builder.advance(indices, lanes * reader.bytes());
                } else {
                    builder.advance(indices, stride);
                }
                builder.advance(table, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(count)) {
                MaskVar mask = builder.prefixMask(count);
                store(places == null ? reader.read(indices, count) : reader.read(indices, places, mask), mask);
            }
            reader.storeWrong(wrong);
            return builder.build();
        }

        /** Returns the offsets of a vector of indices, in words; the stride becomes that from vector to vector. */
        private VectorVar places() {
            ScalarVar words = builder.scalar("words");
            builder.scalar(words, ScalarOp.SHR, stride, 2);
            builder.scalar(stride, ScalarOp.MUL, stride, builder.target().lanes());
            return builder.binary(BinaryOp.INT_MUL, LaneSums.laneNumbers(builder), builder.broadcast(words));
        }

        private void store(VectorVar index, @Nullable MaskVar mask) {
            VectorVar number = index;
            if (part == Part.FURTHER) {
                VectorVar before = builder.load(Address.at(table, 0), mask);
                number = builder.binary(BinaryOp.INT_ADD, builder.binary(BinaryOp.INT_MUL, before, limit), index);
            }
            builder.store(Address.at(table, 0), number, mask);
        }
    }
}
