package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.reduce.ReduceOp.Before;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(out, in, shift, groups, columns, stride): makes one word of each column. The parameter rows is how many rows are
 * done at once; groups is how many times. Rows are stride bytes apart. With accumulate, out has results of other rows
 * already. shift has a float for each column, if exponentials are taken.
 */
final class ReduceColumns implements KernelFamily {
    static final String NAME = "reduce.columns";
    static final int MAX_ROWS = 8;

    static KernelKey key(ReduceSteps.Kind kind, int rows, boolean accumulate) {
        return kind.key(NAME).with("rows", rows).with("accumulate", accumulate ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("type", "combine", "before", "rows", "accumulate");
        var builder = new ProgramBuilder(key.toString(), target);
        int rows = key.number("rows", 1, MAX_ROWS);
        boolean accumulate = key.number("accumulate", 0, 1) == 1;
        return new Writer(builder, ReduceSteps.Kind.of(key), rows, accumulate).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final ReduceSteps steps;
        private final boolean shifts;
        private final int rows;
        private final boolean accumulate;
        private final int elementBytes;
        private final ScalarVar out;
        private final ScalarVar in;
        private final ScalarVar shift;
        private final ScalarVar groups;
        private final ScalarVar columns;
        private final ScalarVar stride;

        Writer(ProgramBuilder builder, ReduceSteps.Kind kind, int rows, boolean accumulate) {
            this.builder = builder;
            this.rows = rows;
            this.accumulate = accumulate;
            steps = new ReduceSteps(builder, kind);
            shifts = kind.before() == Before.EXP;
            elementBytes = (int) kind.type().bytes(1);
            out = builder.parameter("out");
            in = builder.parameter("in");
            shift = builder.parameter("shift");
            groups = builder.parameter("groups");
            columns = builder.parameter("columns");
            stride = builder.parameter("stride");
        }

        Program program() {
            int lanes = builder.target().lanes();
            try (var _ = builder.loop(groups, 1)) {
                ScalarVar offset = builder.scalar("offset");
                builder.set(offset, 0);
                ScalarVar from = builder.copy(in, "from");
                ScalarVar left = builder.copy(columns, "left");
                try (var _ = builder.loop(left, lanes)) {
                    vector(from, offset, null);
                    builder.advance(from, elementBytes * lanes);
                    builder.scalar(offset, ScalarOp.ADD, offset, Float.BYTES * lanes);
                }
                try (var _ = builder.ifNotZero(left)) {
                    vector(from, offset, builder.prefixMask(left));
                }
                for (int i = 0; i < rows; i++) {
                    builder.advance(in, stride);
                }
            }
            return builder.build();
        }

        private void vector(ScalarVar from, ScalarVar offset, @Nullable MaskVar mask) {
            VectorVar far = shifts ? builder.load(Address.at(shift, offset, 1, 0), mask) : null;
            Address to = Address.at(out, offset, 1, 0);
            ScalarVar row = builder.copy(from, "row");
            List<VectorVar> numbers = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                numbers.add(steps.mapped(steps.load(Address.at(row, 0), mask), far));
                builder.advance(row, stride);
            }
            VectorVar combined = steps.combined(numbers);
            VectorVar result = accumulate ? steps.combined(builder.load(to, mask), combined) : combined;
            builder.store(to, result, mask);
        }
    }
}
