package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
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
 * f(columns of B, packed, depth, distance of the columns in bytes): copies so many elements of each column of a panel to
 * where {@link GemmPack} would put them.
 */
final class GemmPackTransposed implements KernelFamily {
    static final String NAME = "gemm.f32.pack.transposed";
    /** Columns of the widest panel of the widest vectors. */
    private static final int MAX_COLUMNS = 64;

    /** @param columns of the panel; the last vector is filled with zeros */
    static KernelKey key(int columns) {
        return KernelKey.of(NAME).with("columns", columns);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("columns");
        return new Writer(key.toString(), target, key.number("columns", 1, MAX_COLUMNS)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int columns;
        private final int lanes;
        private final int rowBytes;
        private final ScalarVar from;
        private final ScalarVar to;
        private final ScalarVar depth;
        private final ScalarVar stride;

        Writer(String name, Target target, int columns) {
            this.columns = columns;
            builder = new ProgramBuilder(name, target);
            lanes = target.lanes();
            rowBytes = Math.ceilDiv(columns, lanes) * target.vectorBytes();
            from = builder.parameter("from");
            to = builder.parameter("to");
            depth = builder.parameter("depth");
            stride = builder.parameter("stride");
        }

        Program program() {
            for (int first = 0; first < columns; first += lanes) {
                int count = Math.min(lanes, columns - first);
                ScalarVar source = builder.copy(from, "source");
                ScalarVar target = builder.copy(to, "target");
                ScalarVar left = builder.copy(depth, "left");
                try (var _ = builder.loop(left, lanes)) {
                    List<VectorVar> rows = square(source, count, null);
                    for (int i = 0; i < lanes; i++) {
                        builder.store(Address.at(target, i * rowBytes + 4 * first), rows.get(i));
                    }
                    builder.advance(source, 4 * lanes);
                    builder.advance(target, lanes * rowBytes);
                }
                try (var _ = builder.ifNotZero(left)) {
                    rest(square(source, count, builder.prefixMask(left)), target, left, first);
                }
                ScalarVar step = builder.scalar("step");
                builder.scalar(step, ScalarOp.MUL, stride, lanes);
                builder.advance(from, step);
            }
            return builder.build();
        }

        private List<VectorVar> square(ScalarVar source, int count, @Nullable MaskVar mask) {
            ScalarVar column = builder.copy(source, "column");
            List<VectorVar> read = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                if (i < count) {
                    read.add(builder.load(Address.at(column, 0), mask));
                    builder.advance(column, stride);
                } else {
                    VectorVar zeros = builder.vector("zeros");
                    builder.set(zeros, Constant.ZERO);
                    read.add(zeros);
                }
            }
            return builder.transpose(read);
        }

        private void rest(List<VectorVar> rows, ScalarVar target, ScalarVar left, int first) {
            for (int i = 0; i < lanes - 1; i++) {
                try (var _ = builder.ifNotZero(left)) {
                    builder.store(Address.at(target, i * rowBytes + 4 * first), rows.get(i));
                    builder.advance(left, -1);
                }
            }
        }
    }
}
