package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.rows.ColumnLoop;
import dev.millrace.kernels.rows.RowLoop;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(from, out, count, stride in bytes, columns): the row of the best float in each of some columns, as numbers of 64
 * bits side by side.
 */
final class BestOfColumns implements KernelFamily {
    static final String NAME = "select.columns";
    /** Vectors side by side. */
    private static final int STRIP = 4;

    static KernelKey key(Best best) {
        return best.addTo(KernelKey.of(NAME));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(Best.EXTREME, Best.LAST);
        Best best = Best.of(key);
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar out = builder.parameter("out");
        ScalarVar count = builder.parameter("count");
        ScalarVar stride = builder.parameter("stride");
        ScalarVar columns = builder.parameter("columns");
        ScalarVar rest = builder.scalar("rest");
        builder.scalar(rest, ScalarOp.AND, columns, target.lanes() - 1);
        ColumnLoop loop = new ColumnLoop(builder);
        loop.over(columns, STRIP, (vectors, offset, mask) -> {
            Places places = new Places(builder, best, vectors);
            loop.down(offset, count, stride, here -> places.row(from, here, mask));
            for (int i = 0; i < vectors; i++) {
                int vector = i;
                try (var _ = builder.ifNotZero(builder.movemask(places.areWorst(vector)))) {
                    VectorVar found = places.none();
                    loop.down(offset, count, stride, here -> places.findWorst(found, from, here, vector, mask));
                    places.takeWhereWorst(vector, best.placesOrThatOfNaN(builder, found, count));
                }
            }
            for (VectorVar place : places.places) {
                WideStore.write(builder, out, place, mask == null ? null : rest);
                builder.advance(out, Long.BYTES * target.lanes());
            }
        });
        return builder.build();
    }

    /** The best of each column so far. */
    private static final class Places {
        private final ProgramBuilder builder;
        private final Best best;
        private final VectorVar here;
        private final List<VectorVar> values = new ArrayList<>();
        private final List<VectorVar> places = new ArrayList<>();

        Places(ProgramBuilder builder, Best best, int vectors) {
            this.builder = builder;
            this.best = best;
            here = zeros("here");
            for (int i = 0; i < vectors; i++) {
                VectorVar value = builder.vector("value");
                builder.set(value, best.worst());
                values.add(value);
                places.add(zeros("place"));
            }
        }

        private VectorVar zeros(String name) {
            VectorVar zeros = builder.vector(name);
            builder.set(zeros, Constant.ZERO);
            return zeros;
        }

        /** The columns in which nothing is better than the worst infinity. */
        MaskVar areWorst(int vector) {
            return builder.compare(Comparison.EQUAL, values.get(vector), best.worst());
        }

        /** No places, before the first row. */
        VectorVar none() {
            VectorVar none = builder.vector("found");
            builder.set(none, best.noPlace());
            builder.set(here, Constant.ZERO);
            return none;
        }

        void findWorst(VectorVar found, ScalarVar from, ScalarVar offset, int vector, @Nullable MaskVar mask) {
            VectorVar candidate = vector(from, offset, vector, mask);
            MaskVar isWorst = builder.compare(Comparison.EQUAL, candidate, best.worst());
            builder.binary(found, best.nearer(), found, builder.select(isWorst, here, best.noPlace()));
            nextRow();
        }

        void takeWhereWorst(int vector, VectorVar found) {
            VectorVar place = places.get(vector);
            builder.set(place, builder.select(areWorst(vector), found, place));
        }

        private VectorVar vector(ScalarVar from, ScalarVar offset, int vector, @Nullable MaskVar mask) {
            return builder.load(RowLoop.at(from, offset, builder.target().vectorBytes() * vector), mask);
        }

        private void nextRow() {
            builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(1));
        }

        void row(ScalarVar from, ScalarVar offset, @Nullable MaskVar mask) {
            for (int i = 0; i < values.size(); i++) {
                VectorVar value = values.get(i);
                VectorVar place = places.get(i);
                VectorVar vector = vector(from, offset, i, mask);
                MaskVar better = builder.compare(best.replaces(), vector, value);
                builder.set(value, builder.select(better, vector, value));
                builder.set(place, builder.select(better, here, place));
            }
            nextRow();
        }
    }
}
