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

        /** The place of the best value of all lanes, of as good ones that which is wanted, in all lanes. */
        private VectorVar bestOfAll() {
            VectorVar value = values[0];
            for (int i = 1; i < CHAINS; i++) {
                value = builder.binary(best.op(), value, values[i]);
            }
            value = LaneReduction.write(builder, best.op(), value);
            BinaryOp nearer = best.last() ? BinaryOp.INT_MAX : BinaryOp.INT_MIN;
            Constant none = Constant.ofBits(best.last() ? -1 : Integer.MAX_VALUE);
            VectorVar place = candidates(0, value, none);
            for (int i = 1; i < CHAINS; i++) {
                place = builder.binary(nearer, place, candidates(i, value, none));
            }
            return LaneReduction.write(builder, nearer, place);
        }

        private VectorVar candidates(int chain, VectorVar value, Constant none) {
            return builder.select(builder.compare(Comparison.EQUAL, values[chain], value), places[chain], none);
        }
    }
}
