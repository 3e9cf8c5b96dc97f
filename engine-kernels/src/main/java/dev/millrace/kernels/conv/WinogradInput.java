package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * Transforms a row of squares of the input, block by block of channels: f(in, transformed, patch, sizes).
 *
 * <p>{@code in} is the first row of the squares that is there, {@code patch} memory for one square. sizes is memory of
 * seven longs: the number of blocks; how many rows of the squares are missing at their top, in bytes of a patch; how
 * many are there; then, in bytes, from row to row and from block to block of the input; from product to product, and
 * from block to block of the transformed.
 */
final class WinogradInput implements KernelFamily {
    static final String NAME = "conv.f32.winograd.input";

    private enum Size {
        BLOCKS,
        TOP,
        ROWS,
        IN_ROW,
        IN_BLOCK,
        PRODUCT,
        OUT_BLOCK
    }

    static KernelKey key(WinogradRow row) {
        return row.key(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("kind", "in", "out", "before");
        return new Writer(key.toString(), target, WinogradRow.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WinogradRow row;
        private final int size;
        private final int bytes;
        private final ScalarVar in;
        private final ScalarVar transformed;
        private final ScalarVar patch;
        private final ScalarVar sizes;

        Writer(String name, Target target, WinogradRow row) {
            this.row = row;
            size = row.kind().inputs();
            bytes = target.vectorBytes();
            builder = new ProgramBuilder(name, target);
            in = builder.parameter("in");
            transformed = builder.parameter("transformed");
            patch = builder.parameter("patch");
            sizes = builder.parameter("sizes");
        }

        private ScalarVar size(Size which) {
            return builder.loadLong(sizes, which);
        }

        Program program() {
            VectorVar zero = WinogradRow.orZero(builder, null);
            for (int i = 0; i < size * size; i++) {
                builder.store(Address.at(patch, i * bytes), zero);
            }
            builder.advance(in, -row.before() * bytes);
            ScalarVar blocks = size(Size.BLOCKS);
            try (var _ = builder.loop(blocks, 1)) {
                ScalarVar from = builder.copy(in, "from");
                ScalarVar to = builder.copy(transformed, "to");
                row.forEach(builder, square -> {
                    rows(from, square);
                    columns(to);
                    builder.advance(from, row.kind().outputs() * bytes);
                    builder.advance(to, bytes);
                });
                builder.advance(in, size(Size.IN_BLOCK));
                builder.advance(transformed, size(Size.OUT_BLOCK));
            }
            return builder.build();
        }

        /** Rows that are missing stay zero in the patch. */
        private void rows(ScalarVar from, int square) {
            ScalarVar at = builder.copy(from, "at");
            ScalarVar to = builder.copy(patch, "rowOfPatch");
            builder.advance(to, size(Size.TOP));
            ScalarVar rows = size(Size.ROWS);
            try (var _ = builder.loop(rows, 1)) {
                @Nullable VectorVar[] columns = new @Nullable VectorVar[size];
                for (int x = 0; x < size; x++) {
                    columns[x] = row.reads(square, x) ? builder.load(Address.at(at, x * bytes)) : null;
                }
                @Nullable VectorVar[] results = row.kind().ofInput().write(builder, columns);
                for (int x = 0; x < size; x++) {
                    builder.store(Address.at(to, x * bytes), WinogradRow.orZero(builder, results[x]));
                }
                builder.advance(at, size(Size.IN_ROW));
                builder.advance(to, size * bytes);
            }
        }

        private void columns(ScalarVar to) {
            ScalarVar from = builder.copy(patch, "column");
            ScalarVar place = builder.copy(to, "place");
            ScalarVar columns = builder.scalar("columns");
            builder.set(columns, size);
            ScalarVar product = size(Size.PRODUCT);
            ScalarVar rowOfProducts = builder.scalar("products");
            builder.scalar(rowOfProducts, ScalarOp.MUL, product, size);
            try (var _ = builder.loop(columns, 1)) {
                @Nullable VectorVar[] rows = new @Nullable VectorVar[size];
                for (int y = 0; y < size; y++) {
                    rows[y] = builder.load(Address.at(from, y * size * bytes));
                }
                @Nullable VectorVar[] results = row.kind().ofInput().write(builder, rows);
                ScalarVar at = builder.copy(place, "at");
                for (int y = 0; y < size; y++) {
                    builder.store(Address.at(at, 0), WinogradRow.orZero(builder, results[y]));
                    builder.advance(at, rowOfProducts);
                }
                builder.advance(from, bytes);
                builder.advance(place, product);
            }
        }
    }
}
