package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** The writer of the sums of products of a tile: some packed rows of A times a panel of B. */
final class IntegerSums {
    private static final int UNROLL = 4;
    /** Enough chains of sums to hide the latency of the one instruction that multiplies and adds. */
    private static final int CHAINS = 8;

    /** The most rows for which B is prefetched line by line, and the distance of these prefetches in bytes. */
    private static final int PREFETCH_ROWS = 3;

    private static final int PREFETCH = 1024;
    private static final int LINE = 64;
    /** The number of quads whose sums of two products of a nibble and a byte fit into 16 bits together. */
    private static final int FOURS_IN_16_BITS = 8;

    private static final Constant ONES = Constant.ofBits(0x00010001);

    private final ProgramBuilder builder;
    private final IntegerTile.Variant variant;
    private final IntegerDot dot;
    private final RowForm form;
    private final int rows;
    private final int vectors;
    private final int bytes;
    private final int unroll;
    private final int sets;
    private final boolean windows;
    private final ScalarVar stride;
    private final ScalarVar stride3;
    private final ScalarVar stride5;
    private final VectorVar[][] sums;

    IntegerSums(ProgramBuilder builder, IntegerTile.Variant variant, ScalarVar stride) {
        this(
                builder,
                variant,
                variant.rows(),
                stride,
                variant.rows() > 3 ? multiple(builder, stride, 3) : stride,
                variant.rows() > 5 ? multiple(builder, stride, 5) : stride);
    }

    private IntegerSums(
            ProgramBuilder builder,
            IntegerTile.Variant variant,
            int rows,
            ScalarVar stride,
            ScalarVar stride3,
            ScalarVar stride5) {
        this.builder = builder;
        this.variant = variant;
        this.rows = rows;
        this.stride = stride;
        this.stride3 = stride3;
        this.stride5 = stride5;
        dot = variant.dot();
        form = variant.form();
        windows = variant.windows();
        vectors = variant.vectors();
        bytes = builder.target().vectorBytes();
        unroll = dot.isSplit() ? builder.target().lanes() : UNROLL;
        sets = dot == IntegerDot.WHOLE ? sets(rows * vectors) : 1;
        sums = new VectorVar[sets][rows * vectors];
    }

    /** Returns the writer of tiles with one row less. */
    IntegerSums lower() {
        return new IntegerSums(builder, variant, rows - 1, stride, stride3, stride5);
    }

    private static int sets(int sumsOfTile) {
        int sets = 1;
        while (sumsOfTile * sets < CHAINS && 2 * sets <= UNROLL) {
            sets *= 2;
        }
        return sets;
    }

    private static ScalarVar multiple(ProgramBuilder builder, ScalarVar stride, int factor) {
        ScalarVar product = builder.scalar("stride" + factor);
        builder.scalar(product, ScalarOp.MUL, stride, factor);
        return product;
    }

    private Address row(ScalarVar start, int row, int displacement) {
        return switch (row) {
            case 0 -> Address.at(start, displacement);
            case 3 -> Address.at(start, stride3, 1, displacement);
            case 5 -> Address.at(start, stride5, 1, displacement);
            default -> Address.at(start, stride, row, displacement);
        };
    }

    int rows() {
        return rows;
    }

    /** Returns the size of a panel in bytes. */
    ScalarVar panelBytes(ScalarVar fours) {
        ScalarVar size = builder.scalar("size");
        builder.scalar(size, ScalarOp.MUL, fours, vectors * bytes);
        return size;
    }

    /** The size of a row of quads in bytes. */
    private int fourBytes() {
        return (dot == IntegerDot.TURNED ? 2 : 1) * vectors * bytes;
    }

    /**
     * Writes the sums of a tile.
     *
     * @param right the address of the panel, or of the expanded panel; advanced
     * @param terms the block of terms
     * @param done the size of one kind of term for all earlier panels, in bytes
     * @return the sums, row by row
     */
    VectorVar[] write(ScalarVar a, ScalarVar right, ScalarVar terms, ScalarVar done) {
        start(Address.at(terms, TermBlock.starts(builder.target())));
        ScalarVar left = builder.copy(a, "left");
        if (form != RowForm.GIVEN) {
            builder.advance(left, PackedRow.DATA);
        }
        VectorVar ones = builder.vector("ones");
        if (dot != IntegerDot.WHOLE) {
            builder.set(ones, ONES);
        }
        if (!windows) {
            multiply(left, right, number(terms, TermBlock.FOURS), ones);
            if (dot.hasExcess()) {
                addExcess(a, terms, done, ones);
            }
            return addedUp();
        }
        ScalarVar strips = number(terms, TermBlock.STRIPS);
        try (var _ = builder.loop(strips, 1)) {
            multiply(left, right, number(terms, TermBlock.FOURS_OF_STRIP), ones);
            builder.advance(left, number(terms, TermBlock.STRIP_GAP));
        }
        return addedUp();
    }

    /**
     * Adds the rests of the clamped quads of a panel, vector by vector.
     *
     * @param done the size of one kind of term for all earlier panels, in bytes
     */
    private void addExcess(ScalarVar a, ScalarVar terms, ScalarVar done, VectorVar ones) {
        for (int j = 0; j < vectors; j++) {
            ScalarVar cuts = number(terms, TermBlock.CUTS);
            ScalarVar both = builder.loadLong(Address.at(cuts, done, 1, j * bytes), "cuts");
            ScalarVar count = builder.low(both, "count");
            ScalarVar excess = builder.high(both, "excess");
            builder.scalar(excess, ScalarOp.MUL, excess, bytes + Long.BYTES);
            builder.advance(excess, number(terms, TermBlock.EXCESS));
            try (var _ = builder.loop(count, 1)) {
                ScalarVar left = builder.loadLong(Address.at(excess, bytes), "left");
                builder.advance(left, a);
                if (form != RowForm.GIVEN) {
                    builder.advance(left, PackedRow.DATA);
                }
                VectorVar right = builder.load(Address.at(excess, 0));
                for (int i = 0; i < rows; i++) {
                    addBytes(sums[0][i * vectors + j], builder.broadcast(row(left, i, 0)), right, ones);
                }
                builder.advance(excess, bytes + Long.BYTES);
            }
        }
    }

    private ScalarVar number(ScalarVar terms, int term) {
        return builder.loadLong(Address.at(terms, term), "number");
    }

    private void multiply(ScalarVar left, ScalarVar right, ScalarVar fours, VectorVar ones) {
        for (int count : new int[] {unroll, 1}) {
            try (var _ = builder.loop(fours, count)) {
                switch (dot) {
                    case WHOLE, BYTES, EXCESS -> bytes(left, right, count, ones);
                    case FOURS, FOURS_EXCESS -> fours(left, right, count, ones);
                    case TURNED -> turned(left, right, count, ones);
                    case NIBBLES -> nibbles(left, right, count, ones);
                }
                builder.advance(left, count < unroll ? 4 * count : count * dot.rowBytes());
                builder.advance(right, count * fourBytes());
            }
        }
    }

    private void start(Address starts) {
        for (int i = 0; i < rows * vectors; i++) {
            sums[0][i] = builder.load(starts.plus(i % vectors * bytes));
        }
        for (int set = 1; set < sets; set++) {
            for (int i = 0; i < rows * vectors; i++) {
                sums[set][i] = builder.vector("sum");
                builder.set(sums[set][i], Constant.ZERO);
            }
        }
    }

    private void bytes(ScalarVar left, ScalarVar right, int count, VectorVar ones) {
        for (int k = 0; k < count; k++) {
            multiplyBytes(left, right, k, ones);
        }
    }

    private void multiplyBytes(ScalarVar left, ScalarVar right, int k, VectorVar ones) {
        VectorVar[] rightRow = new VectorVar[vectors];
        prefetch(right, k);
        for (int j = 0; j < vectors; j++) {
            rightRow[j] = builder.load(Address.at(right, (k * vectors + j) * bytes));
        }
        for (int i = 0; i < rows; i++) {
            VectorVar four = builder.broadcast(row(left, i, 4 * k));
            for (int j = 0; j < vectors; j++) {
                VectorVar sum = sums[k % sets][i * vectors + j];
                if (dot == IntegerDot.WHOLE) {
                    builder.dot(DotOp.U8S8, sum, four, rightRow[j]);
                } else {
                    addBytes(sum, four, rightRow[j], ones);
                }
            }
        }
    }

    private void addBytes(VectorVar sum, VectorVar four, VectorVar right, VectorVar ones) {
        VectorVar halves = builder.binary(BinaryOp.DOT_U8S8_SATURATED, four, right);
        addTo(sum, builder.binary(BinaryOp.DOT_S16, halves, ones));
    }

    private void fours(ScalarVar left, ScalarVar right, int count, VectorVar ones) {
        for (int k = 0; k < count; k += 2) {
            if (k + 1 < count) {
                multiplyFours(left, right, k, ones);
            } else {
                multiplyBytes(left, right, k, ones);
            }
        }
    }

    /** Multiplies two quads. There are registers for only one vector of B; the others are read again for each row. */
    private void multiplyFours(ScalarVar left, ScalarVar right, int k, VectorVar ones) {
        prefetch(right, k);
        prefetch(right, k + 1);
        VectorVar held = builder.load(Address.at(right, k * vectors * bytes));
        for (int i = 0; i < rows; i++) {
            VectorVar first = builder.broadcast(row(left, i, 4 * k));
            VectorVar second = builder.broadcast(row(left, i, 4 * (k + 1)));
            for (int j = 0; j < vectors; j++) {
                VectorVar ofFirst = j == 0 ? held : builder.load(Address.at(right, (k * vectors + j) * bytes));
                VectorVar products = builder.binary(BinaryOp.DOT_U8S8_SATURATED, first, ofFirst);
                VectorVar ofSecond = builder.load(Address.at(right, ((k + 1) * vectors + j) * bytes));
                VectorVar halves = sum16(products, second, ofSecond);
                addTo(sums[0][i * vectors + j], builder.binary(BinaryOp.DOT_S16, halves, ones));
            }
        }
    }

    private void turned(ScalarVar left, ScalarVar right, int count, VectorVar ones) {
        for (int k = 0; k < count; k++) {
            multiplyTurned(left, right, k, ones);
        }
    }

    private void multiplyTurned(ScalarVar left, ScalarVar right, int k, VectorVar ones) {
        VectorVar[] sizes = new VectorVar[vectors];
        VectorVar[] turns = new VectorVar[vectors];
        for (int j = 0; j < vectors; j++) {
            int at = 2 * (k * vectors + j) * bytes;
            sizes[j] = builder.load(Address.at(right, at));
            turns[j] = builder.load(Address.at(right, at + bytes));
        }
        for (int i = 0; i < rows; i++) {
            VectorVar four = builder.broadcast(row(left, i, 4 * k));
            for (int j = 0; j < vectors; j++) {
                VectorVar turned = builder.binary(BinaryOp.XOR, four, turns[j]);
                addBytes(sums[0][i * vectors + j], sizes[j], turned, ones);
            }
        }
    }

    /** Multiplies a single row. The products of both nibbles are combined before sums of 16 bits could overflow. */
    private void nibbles(ScalarVar left, ScalarVar right, int count, VectorVar ones) {
        VectorVar[] low = new VectorVar[vectors];
        VectorVar[] high = new VectorVar[vectors];
        for (int k = 0; k < count; k++) {
            VectorVar lowOfA = builder.broadcast(Address.at(left, 4 * k));
            VectorVar highOfA = builder.broadcast(Address.at(left, 4 * k + bytes));
            boolean first = k % FOURS_IN_16_BITS == 0;
            boolean last = k == count - 1 || (k + 1) % FOURS_IN_16_BITS == 0;
            prefetch(right, k);
            for (int j = 0; j < vectors; j++) {
                VectorVar rightRow = builder.load(Address.at(right, (k * vectors + j) * bytes));
                low[j] = sum16(first ? null : low[j], lowOfA, rightRow);
                high[j] = sum16(first ? null : high[j], highOfA, rightRow);
                if (last) {
                    addTo(sums[0][j], builder.binary(BinaryOp.DOT_S16, low[j], ones));
                    VectorVar upper = builder.binary(BinaryOp.DOT_S16, high[j], ones);
                    addTo(sums[0][j], builder.binary(BinaryOp.SHIFT_LEFT, upper, Constant.ofBits(4)));
                }
            }
        }
    }

    private VectorVar sum16(@Nullable VectorVar sum, VectorVar ofA, VectorVar ofB) {
        VectorVar products = builder.binary(BinaryOp.DOT_U8S8_SATURATED, ofA, ofB);
        return sum == null ? products : builder.binary(BinaryOp.ADD_S16, sum, products);
    }

    private void addTo(VectorVar sum, VectorVar more) {
        builder.binary(sum, BinaryOp.INT_ADD, sum, more);
    }

    /** Prefetches B for tiles of few rows, which are limited by memory. */
    private void prefetch(ScalarVar right, int k) {
        for (int at = k * vectors * bytes; at < (k + 1) * vectors * bytes; at++) {
            if (rows <= PREFETCH_ROWS && at % LINE == 0) {
                builder.prefetchForLater(Address.at(right, at + PREFETCH));
            }
        }
    }

    private VectorVar[] addedUp() {
        for (int half = sets / 2; half > 0; half /= 2) {
            for (int set = 0; set < half; set++) {
                for (int i = 0; i < rows * vectors; i++) {
                    sums[set][i] = builder.binary(BinaryOp.INT_ADD, sums[set][i], sums[set + half][i]);
                }
            }
        }
        return sums[0];
    }
}
