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
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.image.ImageEpilogues;
import org.jspecify.annotations.Nullable;

/**
 * Makes a row of squares of outputs from products, block by block of channels: f(products, out, bias, residual, patch,
 * sizes).
 *
 * <p>{@code patch} is memory for one square of products. sizes is memory of six longs: the number of blocks; how many
 * rows of the squares are there; then, in bytes, from product to product and from block to block of the products; from
 * row to row and from block to block of the output.
 */
final class WinogradOutput implements KernelFamily {
    static final String NAME = "conv.f32.winograd.output";

    private enum Size {
        BLOCKS,
        ROWS,
        PRODUCT,
        PRODUCT_BLOCK,
        OUT_ROW,
        OUT_BLOCK
    }

    static KernelKey key(WinogradRow row, Expr after) {
        return row.key(NAME).with("after", ExprText.print(after));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("kind", "in", "out", "before", "after");
        Expr after = ImageEpilogues.read(key, "after");
        return new Writer(key.toString(), target, WinogradRow.of(key), after == null ? ImageEpilogues.NONE : after)
                .program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WinogradRow row;
        private final Expr after;
        private final int size;
        private final int outputs;
        private final int bytes;
        private final ScalarVar products;
        private final ScalarVar out;
        private final ScalarVar bias;
        private final ScalarVar residual;
        private final ScalarVar patch;
        private final ScalarVar sizes;

        Writer(String name, Target target, WinogradRow row, Expr after) {
            this.row = row;
            this.after = after;
            size = row.kind().inputs();
            outputs = row.kind().outputs();
            bytes = target.vectorBytes();
            builder = new ProgramBuilder(name, target);
            products = builder.parameter("products");
            out = builder.parameter("out");
            bias = builder.parameter("bias");
            residual = builder.parameter("residual");
            patch = builder.parameter("patch");
            sizes = builder.parameter("sizes");
        }

        private ScalarVar size(Size which) {
            return builder.loadLong(sizes, which);
        }

        Program program() {
            ScalarVar blocks = size(Size.BLOCKS);
            int rowBytes = row.squares() * outputs * bytes;
            try (var _ = builder.loop(blocks, 1)) {
                ScalarVar from = builder.copy(products, "from");
                row.forEach(builder, square -> {
                    columns(from);
                    rows(square);
                    builder.advance(from, bytes);
                    builder.advance(out, outputs * bytes);
                    builder.advance(residual, outputs * bytes);
                });
                builder.advance(out, -rowBytes);
                builder.advance(residual, -rowBytes);
                builder.advance(products, size(Size.PRODUCT_BLOCK));
                ScalarVar step = size(Size.OUT_BLOCK);
                builder.advance(out, step);
                builder.advance(residual, step);
                builder.advance(bias, bytes);
            }
            return builder.build();
        }

        private void columns(ScalarVar from) {
            ScalarVar place = builder.copy(from, "place");
            ScalarVar to = builder.copy(patch, "column");
            ScalarVar columns = builder.scalar("columns");
            builder.set(columns, size);
            try (var _ = builder.loop(columns, 1)) {
                ScalarVar product = size(Size.PRODUCT);
                ScalarVar at = builder.copy(place, "at");
                builder.advance(place, product);
                builder.scalar(product, ScalarOp.MUL, product, size);
                @Nullable VectorVar[] rows = new @Nullable VectorVar[size];
                for (int y = 0; y < size; y++) {
                    rows[y] = builder.load(Address.at(at, 0));
                    builder.advance(at, product);
                }
                @Nullable VectorVar[] results = row.kind().ofOutput().write(builder, rows);
                for (int y = 0; y < outputs; y++) {
                    builder.store(Address.at(to, y * size * bytes), WinogradRow.orZero(builder, results[y]));
                }
                builder.advance(to, bytes);
            }
        }

        private void rows(int square) {
            ScalarVar from = builder.copy(patch, "rowOfPatch");
            ScalarVar to = builder.copy(out, "to");
            ScalarVar other = builder.copy(residual, "other");
            ScalarVar rows = size(Size.ROWS);
            try (var _ = builder.loop(rows, 1)) {
                @Nullable VectorVar[] columns = new @Nullable VectorVar[size];
                for (int x = 0; x < size; x++) {
                    columns[x] = builder.load(Address.at(from, x * bytes));
                }
                @Nullable VectorVar[] results = row.kind().ofOutput().write(builder, columns);
                for (int x = 0; x < row.writes(square); x++) {
                    VectorVar sum =
                            builder.add(WinogradRow.orZero(builder, results[x]), builder.load(Address.at(bias, 0)));
                    Address otherAt = Address.at(other, x * bytes);
                    builder.store(Address.at(to, x * bytes), ImageEpilogues.write(builder, after, sum, otherAt));
                }
                builder.advance(from, size * bytes);
                ScalarVar step = size(Size.OUT_ROW);
                builder.advance(to, step);
                builder.advance(other, step);
            }
        }
    }
}
