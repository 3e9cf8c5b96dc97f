package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.rows.RowLoop;
import java.util.Arrays;

/**
 * f(from, out, rows, count): the place of the best float in each of some rows, as a number of 64 bits. Several chains of
 * comparisons hide how long each one takes; in short rows, what comes after another does, and one chain has less to
 * bring together.
 */
final class BestOfRow implements KernelFamily {
    static final String NAME = "select.row";
    private static final String IS_SHORT = "short";
    private static final int CHAINS = 4;
    /** Bytes of the longest rows for one chain. */
    private static final int SHORT = 512;

    static KernelKey key(Best best, boolean areShort) {
        return best.addTo(KernelKey.of(NAME)).with(IS_SHORT, areShort ? 1 : 0);
    }

    static boolean isShort(long count) {
        return count <= SHORT / Float.BYTES;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(Best.EXTREME, Best.LAST, IS_SHORT);
        int chains = key.number(IS_SHORT, 0, 1) == 1 ? 1 : CHAINS;
        return new Writer(key.toString(), target, Best.of(key), chains).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Best best;
        private final int lanes;
        private final ScalarVar from;
        private final int chains;
        private final VectorVar[] values;
        private final VectorVar[] places;
        private final VectorVar here;

        Writer(String name, Target target, Best best, int chains) {
            this.best = best;
            this.chains = chains;
            values = new VectorVar[chains];
            places = new VectorVar[chains];
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            from = builder.parameter("from");
            for (int i = 0; i < chains; i++) {
                values[i] = builder.vector("value");
                places[i] = builder.vector("place");
            }
            here = builder.vector("here");
        }

        Program program() {
            ScalarVar out = builder.parameter("out");
            ScalarVar rows = builder.parameter("rows");
            ScalarVar count = builder.parameter("count");
            ScalarVar words = builder.scalar("words");
            builder.set(words, Long.BYTES / Integer.BYTES);
            MaskVar place = builder.prefixMask(words);
            int[] widened = new int[lanes];
            Arrays.fill(widened, 1, lanes, Step.Permute.ZERO_LANE);
            try (var _ = builder.loop(rows, 1)) {
                for (int i = 0; i < chains; i++) {
                    builder.set(values[i], best.worst());
                    builder.set(places[i], Constant.ZERO);
                }
                builder.set(here, LaneSums.laneNumbers(builder));
                ScalarVar row = builder.copy(from, "row");
                ScalarVar left = builder.copy(count, "left");
                whole(left, chains);
                if (chains > 1) {
                    whole(left, 1);
                }
                try (var _ = builder.ifNotZero(left)) {
                    MaskVar some = builder.prefixMask(left);
                    VectorVar vector = builder.load(Address.at(from, 0), some);
                    take(0, builder.select(some, vector, Constant.of(Float.NaN)));
                    builder.scalar(left, ScalarOp.SHL, left, 2);
                    builder.advance(from, left);
                }
                builder.store(Address.at(out, 0), builder.permute(bestOfAll(row, count), widened), place);
                builder.advance(out, Long.BYTES);
            }
            return builder.build();
        }

        /** Takes as many whole vectors at a time while there are so many. */
        private void whole(ScalarVar left, int vectors) {
            try (var _ = builder.loop(left, vectors * lanes)) {
                for (int i = 0; i < vectors; i++) {
                    take(i, builder.load(Address.at(from, 4 * lanes * i)));
                }
                builder.advance(from, 4 * vectors * lanes);
            }
        }

        private void take(int chain, VectorVar vector) {
            MaskVar better = builder.compare(best.replaces(), vector, values[chain]);
            builder.set(values[chain], builder.select(better, vector, values[chain]));
            builder.set(places[chain], builder.select(better, here, places[chain]));
            builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(lanes));
        }

        /** The place of the best value of all lanes, of as good ones that which is wanted, in all lanes. */
        private VectorVar bestOfAll(ScalarVar row, ScalarVar count) {
            VectorVar value = values[0];
            for (int i = 1; i < chains; i++) {
                value = builder.binary(best.op(), value, values[i]);
            }
            value = LaneReduction.write(builder, best.op(), value);
            VectorVar place = candidates(values[0], value, places[0]);
            for (int i = 1; i < chains; i++) {
                place = builder.binary(best.nearer(), place, candidates(values[i], value, places[i]));
            }
            place = LaneReduction.write(builder, best.nearer(), place);
            try (var _ = builder.ifNotZero(builder.movemask(builder.compare(Comparison.EQUAL, value, best.worst())))) {
                builder.set(place, best.placesOrThatOfNaN(builder, placeOfWorst(row, count), count));
            }
            return place;
        }

        private VectorVar candidates(VectorVar candidate, ProgramValue wanted, VectorVar at) {
            return builder.select(builder.compare(Comparison.EQUAL, candidate, wanted), at, best.noPlace());
        }

        /** The place of an infinity that nothing is worse than, which may stand between NaNs, or of no element. */
        private VectorVar placeOfWorst(ScalarVar row, ScalarVar count) {
            VectorVar found = builder.vector("found");
            builder.set(found, best.noPlace());
            builder.set(here, LaneSums.laneNumbers(builder));
            new RowLoop(builder, 1).over(count, (_, offset, displacement, mask) -> {
                VectorVar candidate = builder.load(RowLoop.at(row, offset, displacement), mask);
                builder.binary(found, best.nearer(), found, candidates(candidate, best.worst(), here));
                builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(lanes));
            });
            return LaneReduction.write(builder, best.nearer(), found);
        }
    }
}
