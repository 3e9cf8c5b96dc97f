package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Interleaving;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(in, out, sizes): copies rows of elements. sizes points to longs, see {@link Size}.
 *
 * <p>{@link How#FILLED} and {@link How#REPEATED} pad each row before and behind: with the filling, or behind with its
 * last element. {@link How#TAKEN} gathers each element of the output by its index, an int behind the sizes, and takes
 * the filling where the index is negative. {@link How#APART} deinterleaves rows, a vector of each part at a time: it
 * gathers the first and the last vectors by indices and reads the contiguous ones between them.
 */
final class PlaneRows implements KernelFamily {
    static final String NAME = "plane.rows";

    /** The source of the elements of a row. */
    enum How {
        FILLED,
        REPEATED,
        TAKEN,
        APART
    }

    /** The most parts into which {@link How#APART} deinterleaves. */
    static final int MAX_WAYS = 4;

    /**
     * The positions of the sizes in their block of memory. Distances are in bytes; before, behind and columns count
     * vectors for {@link How#APART}.
     */
    enum Size {
        ROWS,
        IN_ROW,
        OUT_ROW,
        BEFORE,
        COLUMNS,
        BEHIND,
        FILLING,
        /** The distance from part to part in a row of the output. */
        PART,
        /** The offset of the first contiguous vectors, which have no indices. */
        FROM
    }

    static KernelKey key(How how) {
        return KernelKey.of(NAME).with("how", how).with("ways", 1);
    }

    static KernelKey apart(int ways) {
        return KernelKey.of(NAME).with("how", How.APART).with("ways", ways);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("how", "ways");
        How how = key.oneOf("how", How.values());
        int ways = key.number("ways", how == How.APART ? 2 : 1, how == How.APART ? MAX_WAYS : 1);
        return new Writer(key.toString(), target).program(how, ways);
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int lanes;
        private final int bytes;
        private final ScalarVar in;
        private final ScalarVar out;
        private final ScalarVar sizes;

        Writer(String name, Target target) {
            lanes = target.lanes();
            bytes = target.vectorBytes();
            builder = new ProgramBuilder(name, target);
            in = builder.parameter("in");
            out = builder.parameter("out");
            sizes = builder.parameter("sizes");
        }

        private Address at(Size size) {
            return Address.at(sizes, Long.BYTES * size.ordinal());
        }

        private ScalarVar size(Size size) {
            return builder.loadLong(at(size), size.name());
        }

        Program program(How how, int ways) {
            VectorVar filling = builder.broadcast(at(Size.FILLING));
            ScalarVar rows = size(Size.ROWS);
            try (var _ = builder.loop(rows, 1)) {
                ScalarVar to = builder.copy(out, "to");
                if (how == How.TAKEN) {
                    take(to, filling);
                } else if (how == How.APART) {
                    takeApart(to, filling, ways);
                } else {
                    ScalarVar from = builder.copy(in, "from");
                    fill(to, size(Size.BEFORE), filling);
                    copy(to, from);
                    VectorVar behind = how == How.FILLED ? filling : builder.broadcast(Address.at(from, -Float.BYTES));
                    fill(to, size(Size.BEHIND), behind);
                }
                builder.advance(in, size(Size.IN_ROW));
                builder.advance(out, size(Size.OUT_ROW));
            }
            return builder.build();
        }

        private void fill(ScalarVar to, ScalarVar count, VectorVar value) {
            try (var _ = builder.loop(count, lanes)) {
                builder.store(Address.at(to, 0), value);
                builder.advance(to, bytes);
            }
            try (var _ = builder.ifNotZero(count)) {
                builder.store(Address.at(to, 0), value, builder.prefixMask(count));
                builder.scalar(count, ScalarOp.SHL, count, 2);
                builder.advance(to, count);
            }
        }

        private void copy(ScalarVar to, ScalarVar from) {
            ScalarVar count = size(Size.COLUMNS);
            try (var _ = builder.loop(count, lanes)) {
                builder.store(Address.at(to, 0), builder.load(Address.at(from, 0)));
                builder.advance(to, bytes);
                builder.advance(from, bytes);
            }
            try (var _ = builder.ifNotZero(count)) {
                MaskVar mask = builder.prefixMask(count);
                builder.store(Address.at(to, 0), builder.load(Address.at(from, 0), mask), mask);
                builder.scalar(count, ScalarOp.SHL, count, 2);
                builder.advance(to, count);
                builder.advance(from, count);
            }
        }

        private void take(ScalarVar to, VectorVar filling) {
            ScalarVar place = builder.copy(sizes, "place");
            builder.advance(place, Long.BYTES * Size.values().length);
            ScalarVar count = size(Size.COLUMNS);
            try (var _ = builder.loop(count, lanes)) {
                take(to, place, filling, null);
                builder.advance(to, bytes);
                builder.advance(place, bytes);
            }
            try (var _ = builder.ifNotZero(count)) {
                take(to, place, filling, builder.prefixMask(count));
            }
        }

        private void takeApart(ScalarVar to, VectorVar filling, int ways) {
            ScalarVar place = builder.copy(sizes, "place");
            builder.advance(place, Long.BYTES * Size.values().length);
            takeVectors(to, place, size(Size.BEFORE), filling, ways);
            ScalarVar from = builder.copy(in, "from");
            builder.advance(from, size(Size.FROM));
            ScalarVar part = size(Size.PART);
            ScalarVar whole = size(Size.COLUMNS);
            try (var _ = builder.loop(whole, 1)) {
                List<VectorVar> mixed = new ArrayList<>();
                for (int i = 0; i < ways; i++) {
                    mixed.add(builder.load(Address.at(from, i * bytes)));
                }
                ScalarVar at = builder.copy(to, "at");
                for (VectorVar one : new Interleaving(builder, ways).apart(mixed)) {
                    builder.store(Address.at(at, 0), one);
                    builder.advance(at, part);
                }
                builder.advance(from, ways * bytes);
                builder.advance(to, bytes);
            }
            takeVectors(to, place, size(Size.BEHIND), filling, ways);
        }

        private void takeVectors(ScalarVar to, ScalarVar place, ScalarVar count, VectorVar filling, int ways) {
            ScalarVar part = size(Size.PART);
            try (var _ = builder.loop(count, 1)) {
                ScalarVar at = builder.copy(to, "at");
                for (int i = 0; i < ways; i++) {
                    take(at, place, filling, null);
                    builder.advance(at, part);
                    builder.advance(place, bytes);
                }
                builder.advance(to, bytes);
            }
        }

        /**
         * Gathers a vector. A gather sets the lanes outside of its mask to zero. Indices are padded to whole vectors.
         */
        private void take(ScalarVar to, ScalarVar place, VectorVar filling, @Nullable MaskVar mask) {
            VectorVar index = builder.load(Address.at(place, 0));
            MaskVar isThere = builder.compare(Comparison.INT_GREATER, index, Constant.ofBits(-1));
            VectorVar element = builder.gather(in, index, isThere);
            builder.store(Address.at(to, 0), builder.select(isThere, element, filling), mask);
        }
    }
}
