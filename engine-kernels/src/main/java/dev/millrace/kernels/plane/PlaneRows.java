package dev.millrace.kernels.plane;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * Rows of elements put into rows elsewhere: f(in, out, sizes), sizes being memory of longs, {@link Size}.
 *
 * <p>{@link How#FILLED} and {@link How#REPEATED} put elements before and behind them: the filling, or behind them the
 * last one again. {@link How#TAKEN} takes for each element of the output the one that an int behind the sizes tells, the
 * filling where it is negative.
 */
final class PlaneRows implements KernelFamily {
    static final String NAME = "plane.rows";

    /** How the elements of a row are found. */
    enum How {
        FILLED,
        REPEATED,
        TAKEN
    }

    /** The places of the sizes in their memory; distances are in bytes. */
    enum Size {
        ROWS,
        IN_ROW,
        OUT_ROW,
        BEFORE,
        COLUMNS,
        BEHIND,
        FILLING
    }

    static KernelKey key(How how) {
        return KernelKey.of(NAME).with("how", how);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("how");
        return new Writer(key.toString(), target).program(key.oneOf("how", How.values()));
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

        Program program(How how) {
            VectorVar filling = builder.spread(at(Size.FILLING));
            ScalarVar rows = size(Size.ROWS);
            try (var _ = builder.loop(rows, 1)) {
                ScalarVar to = builder.copy(out, "to");
                if (how == How.TAKEN) {
                    take(to, filling);
                } else {
                    ScalarVar from = builder.copy(in, "from");
                    fill(to, size(Size.BEFORE), filling);
                    copy(to, from);
                    VectorVar behind = how == How.FILLED ? filling : builder.spread(Address.at(from, -Float.BYTES));
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
                builder.store(Address.at(to, 0), value, builder.firstLanes(count));
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
                MaskVar mask = builder.firstLanes(count);
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
                take(to, place, filling, builder.firstLanes(count));
            }
        }

        /** A gather under a mask sets the lanes outside of it to zero. The places are there for whole vectors. */
        private void take(ScalarVar to, ScalarVar place, VectorVar filling, @Nullable MaskVar mask) {
            VectorVar index = builder.load(Address.at(place, 0));
            MaskVar isThere = builder.compare(Comparison.INT_GREATER, index, Constant.ofBits(-1));
            VectorVar element = builder.gather(in, index, isThere);
            builder.store(Address.at(to, 0), builder.select(isThere, element, filling), mask);
        }
    }
}
