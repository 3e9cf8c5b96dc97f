package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.reduce.ReduceOp.Before;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(out, in, shift, rows, columns, stride): makes one word of each row. Rows are stride bytes apart. With together, as
 * many rows as there are lanes are done at once, and rows is a multiple of that; shift has a float for each row, if
 * exponentials are taken.
 */
final class ReduceRows implements KernelFamily {
    static final String NAME = "reduce.rows";
    /** Independent results of one row: what hides the latency of a step. */
    private static final int CHAINS = 4;

    static KernelKey key(ReduceSteps.Kind kind, boolean together) {
        return kind.key(NAME).with("together", together ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("type", "combine", "before", "together");
        ReduceSteps.Kind kind = ReduceSteps.Kind.of(key);
        int most = kind.before() == Before.EXP ? 0 : 1;
        boolean together = key.number("together", 0, most) == 1;
        return new Writer(new ProgramBuilder(key.toString(), target), kind).program(together);
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final ReduceSteps steps;
        private final boolean shifts;
        private final int lanes;
        private final int elementBytes;
        private final ScalarVar out;
        private final ScalarVar in;
        private final ScalarVar shift;
        private final ScalarVar rows;
        private final ScalarVar columns;
        private final ScalarVar stride;

        Writer(ProgramBuilder builder, ReduceSteps.Kind kind) {
            this.builder = builder;
            steps = new ReduceSteps(builder, kind);
            shifts = kind.before() == Before.EXP;
            lanes = builder.target().lanes();
            elementBytes = (int) kind.type().bytes(1);
            out = builder.parameter("out");
            in = builder.parameter("in");
            shift = builder.parameter("shift");
            rows = builder.parameter("rows");
            columns = builder.parameter("columns");
            stride = builder.parameter("stride");
        }

        Program program(boolean together) {
            if (together) {
                try (var _ = builder.loop(rows, lanes)) {
                    rowsTogether();
                    builder.advance(out, Float.BYTES * lanes);
                }
            } else {
                try (var _ = builder.loop(rows, 1)) {
                    builder.storeFirst(Address.at(out, 0), row());
                    builder.advance(out, Float.BYTES);
                    builder.advance(in, stride);
                    builder.advance(shift, Float.BYTES);
                }
            }
            return builder.build();
        }

        /** A vector of results for each row; turned around, they are combined lane by lane. */
        private void rowsTogether() {
            List<VectorVar> sums = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                sums.add(steps.start("sum" + i));
            }
            ScalarVar from = builder.copy(in, "from");
            ScalarVar left = builder.copy(columns, "left");
            try (var _ = builder.loop(left, lanes)) {
                accumulateRows(sums, from, null);
                builder.advance(from, elementBytes * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                accumulateRows(sums, from, builder.prefixMask(left));
            }
            builder.store(Address.at(out, 0), steps.combined(builder.transpose(sums)));
            for (int i = 0; i < lanes; i++) {
                builder.advance(in, stride);
            }
        }

        private void accumulateRows(List<VectorVar> sums, ScalarVar from, @Nullable MaskVar mask) {
            ScalarVar row = builder.copy(from, "row");
            for (VectorVar sum : sums) {
                steps.accumulate(sum, steps.load(Address.at(row, 0), mask), null);
                builder.advance(row, stride);
            }
        }

        private VectorVar row() {
            VectorVar far = shifts ? builder.broadcast(Address.at(shift, 0)) : null;
            List<VectorVar> sums = new ArrayList<>();
            for (int i = 0; i < CHAINS; i++) {
                sums.add(steps.start("sum" + i));
            }
            ScalarVar from = builder.copy(in, "from");
            ScalarVar left = builder.copy(columns, "left");
            try (var _ = builder.loop(left, CHAINS * lanes)) {
                for (int i = 0; i < CHAINS; i++) {
                    Address at = Address.at(from, i * elementBytes * lanes);
                    steps.accumulate(sums.get(i), steps.load(at, null), far);
                }
                builder.advance(from, CHAINS * elementBytes * lanes);
            }
            try (var _ = builder.loop(left, lanes)) {
                steps.accumulate(sums.getFirst(), steps.load(Address.at(from, 0), null), far);
                builder.advance(from, elementBytes * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                VectorVar last = steps.load(Address.at(from, 0), builder.prefixMask(left));
                steps.accumulate(sums.getFirst(), last, far);
            }
            return steps.acrossLanes(steps.combined(sums));
        }
    }
}
