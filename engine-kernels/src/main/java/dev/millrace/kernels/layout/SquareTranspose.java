package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import org.jspecify.annotations.Nullable;

/**
 * Transposes matrices square by square: a {@link LoopNest} whose inner loop is over the columns of a matrix, close
 * together where they are read, and whose middle loop is over its rows, close together where they are written.
 *
 * <p>The parameters rows and columns are how many of each there are, if fewer than the side of a square; the side says
 * at least as many. Then the last square overlaps the one before it. Packed squares do not: rows and columns are
 * multiples of the side. With dense, what is written has no gaps, so that short columns are written as whole vectors,
 * each the start of the next one.
 */
final class SquareTranspose implements KernelFamily {
    static final String NAME = "layout.transpose";

    /** One member of the family. */
    record Variant(int bytes, int rows, int columns, boolean packed, boolean dense) {
        KernelKey key() {
            return KernelKey.of(NAME)
                    .with("bytes", bytes)
                    .with("rows", rows)
                    .with("columns", columns)
                    .with("packed", packed ? 1 : 0)
                    .with("dense", dense ? 1 : 0);
        }

        static Variant of(KernelKey key, Target target) {
            key.onlyHas("bytes", "rows", "columns", "packed", "dense");
            int bytes = key.powerOfTwo("bytes", Long.BYTES);
            boolean packed = key.number("packed", 0, bytes < Integer.BYTES ? 1 : 0) == 1;
            int side = Squares.side(target, bytes, packed);
            int least = packed ? side : 1;
            int rows = key.number("rows", least, side);
            int columns = key.number("columns", least, side);
            boolean dense = key.number("dense", 0, rows < side && columns == side ? 1 : 0) == 1;
            return new Variant(bytes, rows, columns, packed, dense);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, Variant.of(key, target)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Variant variant;
        private final int side;
        private final Squares squares;
        private final LoopNest nest;
        private final ScalarVar columnTo;
        private final ScalarVar rowFrom;
        private final @Nullable MaskVar someRows;
        private final @Nullable MaskVar someColumns;

        Writer(String name, Target target, Variant variant) {
            this.variant = variant;
            side = Squares.side(target, variant.bytes, variant.packed);
            builder = new ProgramBuilder(name, target);
            squares = new Squares(builder, variant.bytes, variant.packed);
            nest = new LoopNest(builder);
            columnTo = nest.innerTo();
            rowFrom = nest.middleFrom();
            someRows = variant.rows < side ? first(variant.rows) : null;
            someColumns = variant.columns < side ? first(variant.columns) : null;
        }

        private MaskVar first(int elements) {
            ScalarVar lanes = builder.scalar("lanes");
            builder.set(lanes, squares.lanesOf(elements));
            return builder.prefixMask(lanes);
        }

        Program program() {
            try (var _ = builder.loop(nest.outer, 1)) {
                if (variant.columns < side) {
                    downRows(someRows);
                } else {
                    acrossColumns();
                    back(nest.to, columnTo);
                    back(nest.from, null);
                }
                nest.nextOuter();
            }
            return builder.build();
        }

        /** All columns back. */
        private void back(ScalarVar pointer, @Nullable ScalarVar stride) {
            ScalarVar columns = builder.scalar("columns");
            if (stride == null) {
                builder.scalar(columns, ScalarOp.MUL, nest.inner, variant.bytes);
            } else {
                builder.scalar(columns, ScalarOp.MUL, stride, nest.inner);
            }
            builder.scalar(pointer, ScalarOp.SUB, pointer, columns);
        }

        private void acrossColumns() {
            ScalarVar left = builder.copy(nest.inner, "columnsLeft");
            if (variant.dense) {
                builder.scalar(left, ScalarOp.SUB, left, side);
                try (var _ = builder.loop(left, side)) {
                    strip(null);
                }
                strip(someRows);
            } else {
                try (var _ = builder.loop(left, side)) {
                    strip(someRows);
                }
            }
            if (!variant.packed) {
                try (var _ = builder.ifNotZero(left)) {
                    builder.scalar(left, ScalarOp.SUB, left, side);
                    nest.advance(nest.to, columnTo, left);
                    builder.scalar(left, ScalarOp.MUL, left, variant.bytes);
                    builder.advance(nest.from, left);
                    strip(someRows);
                }
            }
        }

        /** A strip of columns, then on to the next one. */
        private void strip(@Nullable MaskVar rows) {
            downRows(rows);
            builder.advance(nest.from, side * variant.bytes);
            ScalarVar columns = builder.scalar("columns");
            builder.scalar(columns, ScalarOp.MUL, columnTo, side);
            builder.advance(nest.to, columns);
        }

        private void downRows(@Nullable MaskVar rows) {
            ScalarVar from = builder.copy(nest.from, "squareFrom");
            if (variant.rows < side) {
                square(nest.to, from, rows);
                return;
            }
            ScalarVar to = builder.copy(nest.to, "squareTo");
            ScalarVar left = builder.copy(nest.middle, "rowsLeft");
            try (var _ = builder.loop(left, side)) {
                square(to, from, rows);
                builder.advance(to, side * variant.bytes);
            }
            if (!variant.packed) {
                try (var _ = builder.ifNotZero(left)) {
                    builder.scalar(left, ScalarOp.SUB, left, side);
                    nest.advance(from, rowFrom, left);
                    builder.scalar(left, ScalarOp.MUL, left, variant.bytes);
                    builder.advance(to, left);
                    square(to, from, rows);
                }
            }
        }

        private void square(ScalarVar to, ScalarVar from, @Nullable MaskVar rows) {
            if (variant.packed) {
                squares.transposePacked(from, rowFrom, to, columnTo);
            } else {
                squares.transpose(from, rowFrom, variant.rows, someColumns, to, columnTo, variant.columns, rows);
            }
        }
    }
}
