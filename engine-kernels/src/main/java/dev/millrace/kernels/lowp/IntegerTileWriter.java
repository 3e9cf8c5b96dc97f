package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.gemm.Activation;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The writer of the program of one {@link IntegerTile}: the sums of a tile, then the epilogue and the stores. */
final class IntegerTileWriter {
    /**
     * The registers that storing needs beside the sums and their factors: for bytes whose rows all have the same terms,
     * and for other results.
     */
    private static final int OTHERS_OF_BYTES = 4;

    private static final int OTHERS = 6;

    private final ProgramBuilder builder;
    private final Target target;
    private final IntegerTile.Variant variant;
    private final int rows;
    private final int vectors;
    private final int bytes;
    private final ScalarVar a;
    private final ScalarVar b;
    private final ScalarVar c;
    private final ScalarVar terms;
    private final ScalarVar stride;
    private final ScalarVar count;
    /** The size of one kind of term for all earlier panels, in bytes. */
    private final ScalarVar done;

    IntegerTileWriter(String name, Target target, IntegerTile.Variant variant) {
        this.target = target;
        this.variant = variant;
        rows = variant.rows();
        vectors = variant.vectors();
        bytes = target.vectorBytes();
        builder = new ProgramBuilder(name, target);
        a = builder.parameter("a");
        b = builder.parameter("b");
        c = builder.parameter("c");
        terms = builder.parameter("terms");
        stride = builder.parameter("stride");
        count = builder.parameter("count");
        done = builder.scalar("done");
    }

    Program program() {
        IntegerSums sums = new IntegerSums(builder, variant, stride);
        builder.set(done, 0);
        if (variant.windows()) {
            prepare();
            tiles(sums, count, a, c);
            return builder.build();
        }
        IntegerSums low = variant.low() ? sums.lower() : null;
        try (var _ = builder.loop(count, 1)) {
            if (variant.dot() == IntegerDot.TURNED) {
                spread();
            }
            prepare();
            ScalarVar row = builder.copy(a, "row");
            ScalarVar to = builder.copy(c, "to");
            tiles(sums, number(TermBlock.TILES), row, to);
            if (low != null) {
                tiles(low, number(TermBlock.LOW_TILES), row, to);
            }
            builder.advance(b, sums.panelBytes(number(TermBlock.FOURS)));
            builder.advance(c, vectors * target.lanes() * variant.output().bytes());
            builder.advance(done, vectors * bytes);
        }
        return builder.build();
    }

    /** Writes the tiles of a panel and advances both pointers. */
    private void tiles(IntegerSums sums, ScalarVar count, ScalarVar row, ScalarVar to) {
        try (var _ = builder.loop(count, 1)) {
            ScalarVar panel = variant.dot() == IntegerDot.TURNED ? number(TermBlock.WIDE) : builder.copy(b, "right");
            store(sums.write(row, panel, terms, done), sums.rows(), row, to);
        }
    }

    /**
     * Expands a panel: a vector of magnitudes, and one of masks for the bytes of A, with all bits but the highest set
     * where the weight is negative, and only the highest set elsewhere.
     */
    private void spread() {
        ScalarVar from = builder.copy(b, "from");
        ScalarVar wide = number(TermBlock.WIDE);
        ScalarVar fours = number(TermBlock.FOURS);
        try (var _ = builder.loop(fours, 1)) {
            for (int j = 0; j < vectors; j++) {
                VectorVar all = builder.load(Address.at(from, j * bytes));
                VectorVar highest = builder.binary(BinaryOp.SHIFT_RIGHT, all, Constant.ofBits(Byte.SIZE - 1));
                VectorVar signs = builder.binary(BinaryOp.AND, highest, Constant.ofBits(0x01010101));
                VectorVar above = builder.binary(BinaryOp.SHIFT_LEFT, signs, Constant.ofBits(Byte.SIZE));
                VectorVar signed = builder.binary(BinaryOp.INT_SUB, above, signs);
                VectorVar complements = builder.binary(BinaryOp.XOR, all, signed);
                builder.store(Address.at(wide, 2 * j * bytes), builder.binary(BinaryOp.INT_ADD, complements, signs));
                builder.store(
                        Address.at(wide, (2 * j + 1) * bytes),
                        builder.binary(BinaryOp.XOR, signed, Constant.ofBits(0x80808080)));
            }
            builder.advance(from, vectors * bytes);
            builder.advance(wide, 2 * vectors * bytes);
        }
    }

    private ScalarVar number(int term) {
        return builder.loadLong(Address.at(terms, term), "number");
    }

    private @Nullable MaskVar maskOf(int vector, @Nullable MaskVar mask) {
        return vector == vectors - 1 ? mask : null;
    }

    private VectorVar term(int pointer, int vector, @Nullable MaskVar mask) {
        return builder.load(Address.at(number(pointer), done, 1, vector * bytes), mask);
    }

    /** Prepares the numbers per column that all tiles of a panel use. */
    private void prepare() {
        MaskVar mask = variant.masked() ? builder.prefixMask(number(TermBlock.TAIL)) : null;
        for (int j = 0; j < vectors; j++) {
            builder.store(Address.at(terms, TermBlock.starts(target) + j * bytes), start(j, maskOf(j, mask)));
            if (variant.output() != QuantisedOutput.S32) {
                builder.store(Address.at(terms, TermBlock.factors(target) + j * bytes), factor(j, maskOf(j, mask)));
            }
            if (variant.output() == QuantisedOutput.F32 && variant.bias()) {
                VectorVar bias = term(TermBlock.BIAS, j, maskOf(j, mask));
                builder.store(Address.at(terms, TermBlock.biases(target) + j * bytes), bias);
            }
        }
    }

    private VectorVar start(int vector, @Nullable MaskVar mask) {
        VectorVar start = variant.bias() && variant.output() != QuantisedOutput.F32
                ? term(TermBlock.BIAS, vector, mask)
                : builder.unary(UnaryOp.COPY, Constant.ZERO);
        if (variant.dot() == IntegerDot.TURNED) {
            start = builder.binary(BinaryOp.INT_ADD, start, term(TermBlock.TURNED, vector, null));
        }
        if (variant.form() == RowForm.EACH) {
            return start;
        }
        VectorVar operand = builder.broadcast(Element.U8, Address.at(number(TermBlock.ZERO_OF_A), 0));
        VectorVar sign = builder.broadcast(Address.at(terms, TermBlock.SIGN_OF_A));
        return withoutZero(start, builder.binary(BinaryOp.XOR, operand, sign), vector);
    }

    /** Subtracts the part of a row's sums that its zero point adds. */
    private VectorVar withoutZero(VectorVar sum, VectorVar zero, int vector) {
        VectorVar product = builder.binary(BinaryOp.INT_MUL, zero, term(TermBlock.SUMS, vector, null));
        return builder.binary(BinaryOp.INT_SUB, sum, product);
    }

    private VectorVar factor(int vector, @Nullable MaskVar mask) {
        VectorVar scale = variant.scales()
                ? term(TermBlock.SCALES, vector, mask)
                : builder.broadcast(Address.at(number(TermBlock.SCALES), 0));
        return variant.form() == RowForm.EACH
                ? scale
                : builder.mul(builder.broadcast(Address.at(number(TermBlock.SCALE_OF_A), 0)), scale);
    }

    /** Stores a tile and advances both pointers to the next one. */
    private void store(VectorVar[] tile, int height, ScalarVar row, ScalarVar to) {
        MaskVar mask = variant.masked() ? builder.prefixMask(number(TermBlock.TAIL)) : null;
        ScalarVar ldc = number(TermBlock.STRIDE_OF_C);
        @Nullable VectorVar[] held = heldFactors();
        Requantisation.@Nullable Packing packing = packing();
        for (int i = 0; i < height; ) {
            int together = packing != null && wholeVectors() < 4 ? Math.min(2, height - i) : 1;
            var part = new Rows(i, together, row, to, ldc, held, mask);
            for (int j = 0; j < vectors; ) {
                j += variant.output().isQuantised() ? requantise(part, tile, j, packing) : store(part, tile, j);
            }
            for (int k = 0; k < together; k++) {
                builder.advance(row, stride);
                builder.advance(to, ldc);
            }
            i += together;
        }
        if (variant.activation() != Activation.NONE && variant.activation() != Activation.RELU) {
            activate(height, to, ldc, mask);
        }
    }

    /** One row of a tile, or two; the pointers are those of the first one. */
    private record Rows(
            int first,
            int count,
            ScalarVar row,
            ScalarVar to,
            ScalarVar ldc,
            @Nullable VectorVar[] factors,
            @Nullable MaskVar mask) {}

    private int wholeVectors() {
        return vectors - (variant.masked() ? 1 : 0);
    }

    /** Returns the factors of the vectors, where registers are left for them while tiles are stored. */
    private @Nullable VectorVar[] heldFactors() {
        @Nullable VectorVar[] held = new VectorVar[vectors];
        boolean simple = variant.output().isQuantised() && variant.form() != RowForm.EACH && !variant.zeros();
        int others = simple ? OTHERS_OF_BYTES : OTHERS;
        boolean fit = rows * vectors + vectors + others <= target.vectors();
        for (int j = 0; j < vectors && fit && variant.output() != QuantisedOutput.S32; j++) {
            held[j] = builder.load(Address.at(terms, TermBlock.factors(target) + j * bytes));
        }
        return held;
    }

    private Requantisation.@Nullable Packing packing() {
        boolean packs = variant.output().isQuantised() && Requantisation.together(builder, 2) > 1;
        boolean signed = variant.output() == QuantisedOutput.S8;
        return packs
                ? new Requantisation.Packing(builder, terms, TermBlock.REQUANTISATION, signed, variant.cut())
                : null;
    }

    private Address placeOfC(Rows part, int row, int vector) {
        int at = vector * target.lanes() * variant.output().bytes();
        return row == 0 ? Address.at(part.to(), at) : Address.at(part.to(), part.ldc(), 1, at);
    }

    private Address ofRow(Rows part, int row, int at) {
        return row == 0 ? Address.at(part.row(), at) : Address.at(part.row(), stride, 1, at);
    }

    /**
     * Stores the bytes of some vectors of all rows, several at once where they can be packed. Returns the number of
     * vectors of each row.
     */
    private int requantise(Rows part, VectorVar[] tile, int vector, Requantisation.@Nullable Packing packing) {
        int whole = wholeVectors() - vector;
        int columns = whole <= 0 ? 1 : Requantisation.together(builder, Math.min(whole, 4 / part.count()));
        if (packing == null || whole <= 0 || columns * part.count() == 1) {
            for (int i = 0; i < part.count(); i++) {
                VectorVar value = scaled(part, tile, i, vector);
                VectorVar number = Requantisation.write(builder, value, terms, TermBlock.REQUANTISATION);
                builder.store(Element.U8, placeOfC(part, i, vector), number, maskOf(vector, part.mask()));
            }
            return 1;
        }
        VectorVar[] values = new VectorVar[columns * part.count()];
        Address[] places = new Address[part.count()];
        for (int i = 0; i < places.length; i++) {
            places[i] = placeOfC(part, i, vector);
            for (int j = 0; j < columns; j++) {
                values[i * columns + j] = scaled(part, tile, i, vector + j);
            }
        }
        packing.store(values, places);
        return columns;
    }

    /** Stores a vector of a row as ints or floats. Returns 1. */
    private int store(Rows part, VectorVar[] tile, int vector) {
        VectorVar value = variant.output() == QuantisedOutput.S32
                ? finished(part, tile, 0, vector)
                : dequantised(scaled(part, tile, 0, vector), vector);
        builder.store(placeOfC(part, 0, vector), value, maskOf(vector, part.mask()));
        return 1;
    }

    /** Returns a sum without the parts that the zero points of its row and column add. */
    private VectorVar finished(Rows part, VectorVar[] tile, int row, int vector) {
        VectorVar sum = tile[(part.first() + row) * vectors + vector];
        VectorVar left = variant.form() == RowForm.EACH
                ? withoutZero(sum, builder.broadcast(ofRow(part, row, PackedRow.ZERO)), vector)
                : sum;
        if (!variant.zeros()) {
            return left;
        }
        VectorVar rowSum = builder.broadcast(ofRow(part, row, PackedRow.SUM));
        VectorVar product = builder.binary(BinaryOp.INT_MUL, rowSum, term(TermBlock.ZEROS, vector, null));
        return builder.binary(BinaryOp.INT_SUB, left, product);
    }

    private VectorVar scaled(Rows part, VectorVar[] tile, int row, int vector) {
        VectorVar sum = finished(part, tile, row, vector);
        VectorVar held = part.factors()[vector];
        VectorVar factor =
                held == null ? builder.load(Address.at(terms, TermBlock.factors(target) + vector * bytes)) : held;
        if (variant.form() == RowForm.EACH) {
            factor = builder.mul(builder.broadcast(ofRow(part, row, PackedRow.SCALE)), factor);
        }
        return builder.mul(builder.unary(UnaryOp.TO_FLOAT, sum), factor);
    }

    private VectorVar dequantised(VectorVar scaled, int vector) {
        VectorVar value = variant.bias()
                ? builder.add(scaled, builder.load(Address.at(terms, TermBlock.biases(target) + vector * bytes)))
                : scaled;
        return variant.activation() == Activation.RELU ? builder.max(Constant.ZERO, value) : value;
    }

    /**
     * Applies the activation to the tile that was just written and ends at {@code end}, from back to front, now that
     * its registers are free.
     */
    private void activate(int height, ScalarVar end, ScalarVar ldc, @Nullable MaskVar mask) {
        ScalarVar left = builder.scalar("left");
        builder.set(left, height);
        Expr x = Expr.input(0);
        try (var _ = builder.loop(left, 1)) {
            builder.scalar(end, ScalarOp.SUB, end, ldc);
            for (int j = 0; j < vectors; j++) {
                Address place = Address.at(end, j * bytes);
                ExprWriter writer = new ExprWriter(builder, Map.of(x, builder.load(place, maskOf(j, mask))));
                builder.store(place, writer.write(variant.activation().of(x)), maskOf(j, mask));
            }
        }
        ScalarVar tile = builder.scalar("tile");
        builder.scalar(tile, ScalarOp.MUL, ldc, height);
        builder.advance(end, tile);
    }
}
