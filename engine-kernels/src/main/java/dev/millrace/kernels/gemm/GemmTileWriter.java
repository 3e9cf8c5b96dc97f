package dev.millrace.kernels.gemm;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.DotOp;
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

/** The writer of the program of one {@link GemmTile} or {@link PairTile}. */
final class GemmTileWriter {
    /** Offsets in the block of arguments. */
    static final int B_STRIDE = 0;

    static final int EARLIER = 8;
    static final int EARLIER_STRIDE = 16;
    static final int PANEL_DISTANCE = 24;
    /** The offset of a pointer to memory for the sums of a tile. */
    static final int SCRATCH = 32;

    /** Enough chains of additions to hide the latency of one: two per cycle, four cycles each. */
    private static final int CHAINS = 8;

    private static final int UNROLL = 4;
    /** The distance of prefetches in B in bytes. */
    private static final int PREFETCH = 8192;

    /** The distance of prefetches in rows, if B is not packed. */
    private static final int ROWS_AHEAD = 8;

    private static final int CACHE_LINE = 64;

    private final ProgramBuilder builder;
    private final GemmTile.Variant variant;
    private final @Nullable DotOp dot;
    private final EpilogueWriter epilogue;
    private final int rows;
    /** The number of vectors in a row of a panel, and in a row of the tile. */
    private final int panelVectors;

    private final int vectors;
    private final int bytes;
    /**
     * The number of independent sums of the same element, more than one for small tiles. It depends on the rows alone,
     * so that every column of a product is summed in the same order.
     */
    private final int sets;

    private final ScalarVar a;
    private final ScalarVar b;
    private final ScalarVar c;
    private final ScalarVar arguments;
    private final ScalarVar strides;
    private final ScalarVar sizes;
    private final VectorVar[][] sums;

    /** @param dot the instruction that multiplies elements other than floats, or null for floats */
    GemmTileWriter(String name, Target target, GemmTile.Variant variant, @Nullable DotOp dot) {
        this.variant = variant;
        this.dot = dot;
        rows = variant.rows();
        panelVectors = variant.vectors();
        vectors = panelVectors * variant.panels();
        bytes = target.vectorBytes();
        sets = sets(rows * Math.max(vectors, GemmShape.of(target).widest(rows, target)), target.vectors() - 4);
        builder = new ProgramBuilder(name, target);
        a = builder.parameter("a");
        b = builder.parameter("b");
        c = builder.parameter("c");
        arguments = builder.parameter("arguments");
        strides = builder.parameter("strides");
        sizes = builder.parameter("sizes");
        sums = new VectorVar[sets][rows * vectors];
        epilogue = new EpilogueWriter(builder, variant.epilogue(), arguments);
    }

    private static int sets(int sumsOfTile, int most) {
        int sets = 1;
        while (sumsOfTile * sets < CHAINS && 2 * sets <= UNROLL && 2 * sets * sumsOfTile <= most) {
            sets *= 2;
        }
        return sets;
    }

    Program program() {
        ScalarVar tiles = builder.high(sizes, "tiles");
        try (var _ = builder.loop(tiles, 1)) {
            multiply(tiles);
            addUp();
            MaskVar mask = variant.masked() ? tail() : null;
            finish(tiles, mask);
            if (variant.columnsOfA()) {
                builder.advance(a, 4 * rows);
            } else {
                advanceByRows(a, builder.low(strides, "lda"));
            }
            advanceByRows(c, builder.high(strides, "ldc"));
        }
        return builder.build();
    }

    private void advanceByRows(ScalarVar pointer, ScalarVar stride) {
        ScalarVar step = builder.scalar("step");
        builder.scalar(step, ScalarOp.MUL, stride, rows);
        builder.advance(pointer, step);
    }

    private MaskVar tail() {
        ScalarVar tail = builder.scalar("tail");
        builder.scalar(tail, ScalarOp.SHR, sizes, GemmTile.TAIL_SHIFT);
        builder.scalar(tail, ScalarOp.AND, tail, GemmTile.MAX_TAIL);
        return builder.prefixMask(tail);
    }

    private void multiply(ScalarVar tiles) {
        Sources sources = new Sources(tiles);
        ScalarVar depth = builder.scalar("depth");
        builder.scalar(depth, ScalarOp.AND, sizes, GemmTile.MAX_DEPTH);
        for (VectorVar[] set : sums) {
            for (int i = 0; i < set.length; i++) {
                set[i] = builder.vector("sum");
                builder.set(set[i], Constant.ZERO);
            }
        }
        for (int count = UNROLL; count > 0; count /= UNROLL) {
            try (var _ = builder.loop(depth, count)) {
                for (int k = 0; k < count; k++) {
                    sources.step(k);
                }
                sources.advance(count);
            }
        }
    }

    private void accumulate(VectorVar sum, VectorVar left, VectorVar right) {
        if (dot == null) {
            builder.accumulate(sum, left, right);
        } else {
            builder.dot(dot, sum, left, right);
        }
    }

    /** The pointers from which columns of A and rows of B are read. */
    private final class Sources {
        private final @Nullable ScalarVar lda;
        private final ScalarVar left;
        private final ScalarVar fourthRow;
        private final List<ScalarVar> right = new ArrayList<>();
        private final @Nullable ScalarVar next;
        private final @Nullable ScalarVar rightStride;
        private final @Nullable MaskVar mask;

        Sources(ScalarVar tiles) {
            left = builder.copy(a, "left");
            lda = rows > 1 || variant.columnsOfA() ? builder.low(strides, "lda") : null;
            if (lda != null && !variant.columnsOfA() && rows > 3) {
                fourthRow = builder.scalar("fourthRow");
                builder.scalar(fourthRow, ScalarOp.MUL, lda, 3);
                builder.advance(fourthRow, left);
            } else {
                fourthRow = left;
            }
            right.add(builder.copy(b, "right"));
            for (int panel = 1; panel < variant.panels() && !variant.rowsOfB(); panel++) {
                ScalarVar next = builder.copy(right.getLast(), "right" + panel);
                builder.advance(next, builder.loadLong(Address.at(arguments, PANEL_DISTANCE), "distance"));
                right.add(next);
            }
            next = variant.fetch().isNext() && !variant.rowsOfB() ? next(tiles) : null;
            rightStride = variant.rowsOfB() ? builder.loadLong(Address.at(arguments, B_STRIDE), "ldb") : null;
            mask = variant.rowsOfB() && variant.masked() ? tail() : null;
        }

        /** Returns the address from which this tile prefetches its share of the next panel. */
        private ScalarVar next(ScalarVar tiles) {
            ScalarVar at = builder.scalar("next");
            builder.scalar(at, ScalarOp.SUB, builder.high(sizes, "all"), tiles);
            ScalarVar share = builder.scalar("share");
            builder.scalar(share, ScalarOp.AND, sizes, GemmTile.MAX_DEPTH);
            builder.scalar(share, ScalarOp.MUL, share, fetchedBytes(1));
            builder.scalar(at, ScalarOp.MUL, at, share);
            builder.advance(at, b);
            builder.advance(at, builder.loadLong(Address.at(arguments, PANEL_DISTANCE), "distance"));
            return at;
        }

        /** Returns the bytes of the next panel that are prefetched while {@code count} rows of this one are read. */
        private int fetchedBytes(int count) {
            return count * panelVectors * bytes / variant.fetch().tiles();
        }

        /**
         * Multiplies one column of A by one row of B. The shorter one of the two is loaded first and kept in registers.
         */
        void step(int k) {
            VectorVar[] elements = new VectorVar[rows];
            VectorVar[] rightRow = new VectorVar[vectors];
            boolean byColumns = rows < vectors;
            for (int i = 0; i < rows && byColumns; i++) {
                elements[i] = builder.broadcast(element(i, k));
            }
            for (int j = 0; j < vectors && !byColumns; j++) {
                rightRow[j] = right(j, k);
            }
            for (int x = 0; x < rows * vectors; x++) {
                int i = byColumns ? x % rows : x / vectors;
                int j = byColumns ? x / rows : x % vectors;
                if (byColumns && i == 0) {
                    rightRow[j] = right(j, k);
                } else if (!byColumns && j == 0) {
                    elements[i] = builder.broadcast(element(i, k));
                }
                accumulate(sums[k % sets][i * vectors + j], elements[i], rightRow[j]);
            }
            if (rightStride != null) {
                builder.advance(right.getFirst(), rightStride);
            }
            if (lda != null && variant.columnsOfA()) {
                builder.advance(left, lda);
            }
        }

        private VectorVar right(int j, int k) {
            if (rightStride != null) {
                Address at = Address.at(right.getFirst(), j * bytes);
                if (variant.fetch() != Fetch.NONE && j * bytes % CACHE_LINE == 0) {
                    builder.prefetch(Address.at(at.base(), rightStride, ROWS_AHEAD, j * bytes));
                }
                return builder.load(at, maskOf(j, mask));
            }
            Address at = Address.at(right.get(j / panelVectors), (k * panelVectors + j % panelVectors) * bytes);
            if (next != null) {
                if (at.displacement() % (CACHE_LINE * variant.fetch().tiles()) == 0) {
                    builder.prefetchForLater(
                            Address.at(next, at.displacement() / variant.fetch().tiles()));
                }
            } else if (variant.fetch() != Fetch.NONE && at.displacement() % CACHE_LINE == 0) {
                builder.prefetchForLater(at.plus(PREFETCH));
            }
            return builder.load(at);
        }

        private Address element(int row, int k) {
            if (variant.columnsOfA()) {
                return Address.at(left, 4 * row);
            }
            ScalarVar start = row < 3 ? left : fourthRow;
            return lda == null || row % 3 == 0 ? Address.at(start, 4 * k) : Address.at(start, lda, row % 3, 4 * k);
        }

        void advance(int count) {
            if (!variant.columnsOfA()) {
                builder.advance(left, 4 * count);
                if (fourthRow != left) {
                    builder.advance(fourthRow, 4 * count);
                }
            }
            for (ScalarVar panel : right) {
                if (rightStride == null) {
                    builder.advance(panel, count * panelVectors * bytes);
                }
            }
            if (next != null) {
                builder.advance(next, fetchedBytes(count));
            }
        }
    }

    private void addUp() {
        for (int half = sets / 2; half > 0; half /= 2) {
            for (int set = 0; set < half; set++) {
                for (int i = 0; i < rows * vectors; i++) {
                    sums[set][i] = builder.add(sums[set][i], sums[set + half][i]);
                }
            }
        }
    }

    private @Nullable MaskVar maskOf(int vector, @Nullable MaskVar mask) {
        return vector == vectors - 1 ? mask : null;
    }

    /** Writes the epilogue, beside the sums in their registers, or by way of scratch memory. */
    private void finish(ScalarVar tiles, @Nullable MaskVar mask) {
        ScalarVar row = builder.scalar("row");
        if (epilogue.needsRow() || readsEarlierSums()) {
            builder.scalar(row, ScalarOp.SUB, builder.high(sizes, "all"), tiles);
            builder.scalar(row, ScalarOp.MUL, row, rows);
        } else {
            builder.set(row, 0);
        }
        int masks = mask != null && builder.target().masks() == 0 ? 1 : 0;
        if (epilogue.fitsBeside(rows * vectors + masks)) {
            finishInRegisters(row, mask);
        } else {
            finishFromScratch(row, mask);
        }
    }

    private boolean readsEarlierSums() {
        return variant.accumulate() && variant.epilogue().output() != Output.F32;
    }

    private void finishInRegisters(ScalarVar row, @Nullable MaskVar mask) {
        ScalarVar to = builder.copy(c, "to");
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < vectors; j++) {
                Address at = Address.at(to, j * bytes);
                VectorVar sum = sums[0][i * vectors + j];
                if (variant.accumulate()) {
                    sum = builder.add(sum, builder.load(at, maskOf(j, mask)));
                }
                epilogue.write(sum, row, j, at, maskOf(j, mask));
            }
            if (i < rows - 1) {
                builder.advance(to, builder.high(strides, "ldc"));
                builder.advance(row, 1);
            }
        }
    }

    private void finishFromScratch(ScalarVar row, @Nullable MaskVar mask) {
        ScalarVar from = builder.loadLong(Address.at(arguments, SCRATCH), "from");
        for (int i = 0; i < rows * vectors; i++) {
            builder.store(Address.at(from, i * bytes), sums[0][i]);
        }
        ScalarVar to = builder.copy(c, "to");
        ScalarVar left = builder.scalar("left");
        builder.set(left, rows);
        try (var _ = builder.loop(left, 1)) {
            for (int j = 0; j < vectors; j++) {
                VectorVar sum = builder.load(Address.at(from, j * bytes));
                if (variant.accumulate()) {
                    sum = builder.add(sum, builder.load(earlier(to, row, j), maskOf(j, mask)));
                }
                int width =
                        builder.target().lanes() * variant.epilogue().output().bytes();
                epilogue.write(sum, row, j, Address.at(to, j * width), maskOf(j, mask));
            }
            builder.advance(from, vectors * bytes);
            builder.advance(to, builder.high(strides, "ldc"));
            builder.advance(row, 1);
        }
    }

    private Address earlier(ScalarVar to, ScalarVar row, int vector) {
        if (!readsEarlierSums()) {
            return Address.at(to, vector * bytes);
        }
        ScalarVar pointer = builder.loadLong(Address.at(arguments, EARLIER), "earlier");
        ScalarVar offset = builder.loadLong(Address.at(arguments, EARLIER_STRIDE), "stride");
        builder.scalar(offset, ScalarOp.MUL, offset, row);
        return Address.at(pointer, offset, 1, vector * bytes);
    }
}
