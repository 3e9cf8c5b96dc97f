package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
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
 * The kernel f(indices, data, out, sizes): {@code out[i] = data[index[i] * scale + i * step]} for elements of 32 bits,
 * in rows; rows of indices and of results are contiguous. While a row is processed the next one of the data is
 * prefetched, because indices come in no order that the hardware prefetcher could predict. sizes points to the numbers
 * that {@link Size} names.
 */
final class ElementPick implements KernelFamily {
    static final String NAME = "rows.picks";

    /** The numbers of a call, of 64 bits each. */
    enum Size {
        ROWS,
        /** Elements of a row. */
        COUNT,
        /** The upper bound of indices, more than 0; negative indices count from it. */
        LIMIT,
        SCALE,
        STEP,
        /** Bytes from row to row of the data. */
        DATA_ROW,
        /**
         * A word that the kernel sets to 0 if all indices are in range. It reads another element for one that is not.
         */
        WRONG
    }

    /** @param wide whether indices have 64 bits */
    static KernelKey key(boolean wide) {
        return KernelKey.of(NAME).with("wide", wide ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("wide");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final ScalarVar indices;
        private final ScalarVar data;
        private final ScalarVar out;
        private final ScalarVar sizes;
        private final IndexReader reader;
        private final VectorVar scale;
        private final VectorVar start;
        private final VectorVar added;
        private final VectorVar further;

        Writer(KernelKey key, Target target) {
            builder = new ProgramBuilder(key.toString(), target);
            indices = builder.parameter("indices");
            data = builder.parameter("data");
            out = builder.parameter("out");
            sizes = builder.parameter("sizes");
            reader = new IndexReader(builder, key.number("wide", 0, 1) == 1, spread(Size.LIMIT));
            scale = spread(Size.SCALE);
            VectorVar step = spread(Size.STEP);
            start = builder.binary(BinaryOp.INT_MUL, step, LaneSums.laneNumbers(builder));
            further = builder.binary(BinaryOp.INT_MUL, step, Constant.ofBits(target.lanes()));
            added = builder.vector("added");
        }

        private Address at(Size size) {
            return Address.at(sizes, Long.BYTES * size.ordinal());
        }

        private VectorVar spread(Size size) {
            return builder.broadcast(at(size));
        }

        Program program() {
            int lanes = builder.target().lanes();
            ScalarVar rows = builder.loadLong(at(Size.ROWS), "rows");
            try (var _ = builder.loop(rows, 1)) {
                builder.set(added, start);
                ScalarVar next = builder.loadLong(at(Size.DATA_ROW), "next");
                builder.advance(next, data);
                ScalarVar left = builder.loadLong(at(Size.COUNT), "left");
                try (var _ = builder.loop(left, lanes)) {
                    builder.prefetch(Address.at(next, 0));
                    builder.advance(next, 4 * lanes);
                    pick(reader.read(indices, null), null);
                    builder.binary(added, BinaryOp.INT_ADD, added, further);
                    builder.advance(indices, lanes * reader.bytes());
                    builder.advance(out, 4 * lanes);
                }
                try (var _ = builder.ifNotZero(left)) {
                    pick(reader.read(indices, left), builder.prefixMask(left));
                    builder.scalar(left, ScalarOp.SHL, left, 2);
                    builder.advance(out, left);
                    builder.scalar(left, ScalarOp.MUL, left, reader.bytes() / 4);
                    builder.advance(indices, left);
                }
                builder.advance(data, builder.loadLong(at(Size.DATA_ROW), "row"));
            }
            ScalarVar wrong = builder.copy(sizes, "wrong");
            builder.advance(wrong, Long.BYTES * Size.WRONG.ordinal());
            reader.storeWrong(wrong);
            return builder.build();
        }

        private void pick(VectorVar index, @Nullable MaskVar mask) {
            VectorVar scaled = builder.binary(BinaryOp.INT_MUL, index, scale);
            VectorVar places = builder.binary(BinaryOp.INT_ADD, scaled, added);
            builder.store(Address.at(out, 0), builder.gather(data, places, mask), mask);
        }
    }
}
