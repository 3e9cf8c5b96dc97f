package dev.millrace.kernels.rank;

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
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/** f(from, out, rows, count): the place of the best float in each of some rows, as a number of 64 bits. */
final class BestOfRow implements KernelFamily {
    static final String NAME = "select.row";
    private static final int CHAINS = 4;

    static KernelKey key(Best best) {
        return best.addTo(KernelKey.of(NAME));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, Best.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Best best;
        private final int lanes;
        private final ScalarVar from;
        private final VectorVar[] values = new VectorVar[CHAINS];
        private final VectorVar[] places = new VectorVar[CHAINS];
        private final VectorVar here;

        Writer(String name, Target target, Best best) {
            this.best = best;
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            from = builder.parameter("from");
            for (int i = 0; i < CHAINS; i++) {
                values[i] = builder.vector("value");
                places[i] = builder.vector("place");
            }
            here = builder.vector("here");
        }

        Program program() {
            ScalarVar out = builder.parameter("out");
            ScalarVar rows = builder.parameter("rows");
            ScalarVar count = builder.parameter("count");
            ScalarVar one = builder.scalar("one");
            try (var _ = builder.loop(rows, 1)) {
                for (int i = 0; i < CHAINS; i++) {
                    builder.set(values[i], best.worst());
                    builder.set(places[i], Constant.ZERO);
                }
                builder.set(here, LaneSums.laneNumbers(builder));
                ScalarVar left = builder.copy(count, "left");
                try (var _ = builder.loop(left, CHAINS * lanes)) {
                    for (int i = 0; i < CHAINS; i++) {
                        take(i, builder.load(Address.at(from, 4 * lanes * i)));
                    }
                    builder.advance(from, 4 * CHAINS * lanes);
                }
                try (var _ = builder.loop(left, lanes)) {
                    take(0, builder.load(Address.at(from, 0)));
                    builder.advance(from, 4 * lanes);
                }
                try (var _ = builder.ifNotZero(left)) {
                    MaskVar some = builder.firstLanes(left);
                    VectorVar given = builder.load(Address.at(from, 0), some);
                    take(0, builder.select(some, given, Constant.of(Float.NaN)));
                    builder.scalar(left, ScalarOp.SHL, left, 2);
                    builder.advance(from, left);
                }
                builder.set(one, 1);
                WideStore.write(builder, out, bestOfAll(), one);
                builder.advance(out, 8);
            }
            return builder.build();
        }

        private void take(int chain, VectorVar given) {
            MaskVar better = builder.compare(best.replaces(), given, values[chain]);
            builder.set(values[chain], builder.select(better, given, values[chain]));
            builder.set(places[chain], builder.select(better, here, places[chain]));
            builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(lanes));
        }

        private VectorVar bestOfAll() {
            for (int i = 1; i < CHAINS; i++) {
                combine(values[i], places[i]);
            }
            for (int distance = lanes / 2; distance > 0; distance /= 2) {
                int[] other = LaneReduction.exchanged(builder, distance);
                combine(builder.permute(values[0], other), builder.permute(places[0], other));
            }
            return places[0];
        }

        /** Into the first chain: what is better, or as good and in the place that is wanted. */
        private void combine(VectorVar value, VectorVar place) {
            MaskVar better = builder.compare(best.strictly(), value, values[0]);
            MaskVar equal = builder.compare(Comparison.EQUAL, value, values[0]);
            MaskVar wanted = best.last()
                    ? builder.compare(Comparison.INT_GREATER, place, places[0])
                    : builder.compare(Comparison.INT_GREATER, places[0], place);
            VectorVar ofEqual = builder.select(wanted, place, places[0]);
            VectorVar ofOthers = builder.select(equal, ofEqual, places[0]);
            builder.set(places[0], builder.select(better, place, ofOthers));
            builder.set(values[0], builder.select(better, value, values[0]));
        }
    }
}
