package dev.millrace.kernels.intgemm;

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

/** Writes a member of {@link IntegerTile}: the sums of a tile, then what becomes of them. */
final class IntegerTileWriter {
    private final ProgramBuilder builder;
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
    /** What the panels so far take of numbers per column, in bytes. */
    private final ScalarVar done;

    IntegerTileWriter(String name, Target target, IntegerTile.Variant variant) {
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
            panel(sums, a, c, count);
            return builder.build();
        }
        try (var _ = builder.loop(count, 1)) {
            panel(sums, builder.copy(a, "row"), builder.copy(c, "to"), null);
            builder.advance(b, sums.panelBytes(number(TermBlock.FOURS)));
            builder.advance(
                    c, vectors * builder.target().lanes() * variant.output().bytes());
            builder.advance(done, vectors * bytes);
        }
        return builder.build();
    }

    /**
     * The tiles of a panel, both pointers being moved.
     *
     * @param given how many there are, null where the terms say it
     */
    private void panel(IntegerSums sums, ScalarVar row, ScalarVar to, @Nullable ScalarVar given) {
        prepare();
        ScalarVar tiles = given == null ? number(TermBlock.TILES) : given;
        try (var _ = builder.loop(tiles, 1)) {
            store(sums.write(row, b, terms), row, to);
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

    /** Numbers per column that all tiles of a panel use. */
    private void prepare() {
        MaskVar mask = variant.masked() ? builder.firstLanes(number(TermBlock.TAIL)) : null;
        for (int j = 0; j < vectors; j++) {
            builder.store(Address.at(terms, TermBlock.STARTS + j * bytes), start(j, maskOf(j, mask)));
            if (variant.output() != QuantisedOutput.S32) {
                builder.store(Address.at(terms, TermBlock.FACTORS + j * bytes), factor(j, maskOf(j, mask)));
            }
            if (variant.output() == QuantisedOutput.F32 && variant.bias()) {
                VectorVar bias = term(TermBlock.BIAS, j, maskOf(j, mask));
                builder.store(Address.at(terms, TermBlock.BIASES + j * bytes), bias);
            }
        }
    }

    private VectorVar start(int vector, @Nullable MaskVar mask) {
        VectorVar start = variant.bias() && variant.output() != QuantisedOutput.F32
                ? term(TermBlock.BIAS, vector, mask)
                : builder.unary(UnaryOp.COPY, Constant.ZERO);
        if (variant.dot() == IntegerDot.PAIRS) {
            start = builder.binary(BinaryOp.INT_SUB, start, term(TermBlock.PAIRS, vector, null));
        }
        if (variant.form() == RowForm.EACH) {
            return start;
        }
        VectorVar given = builder.spread(Element.U8, Address.at(number(TermBlock.ZERO_OF_A), 0));
        VectorVar sign = builder.spread(Address.at(terms, TermBlock.SIGN_OF_A));
        return withoutZero(start, builder.binary(BinaryOp.XOR, given, sign), vector);
    }

    /** What the zero point of a row adds to its sums is taken off. */
    private VectorVar withoutZero(VectorVar sum, VectorVar zero, int vector) {
        VectorVar product = builder.binary(BinaryOp.INT_MUL, zero, term(TermBlock.SUMS, vector, null));
        return builder.binary(BinaryOp.INT_SUB, sum, product);
    }

    private VectorVar factor(int vector, @Nullable MaskVar mask) {
        VectorVar scale = variant.scales()
                ? term(TermBlock.SCALES, vector, mask)
                : builder.spread(Address.at(number(TermBlock.SCALES), 0));
        return variant.form() == RowForm.EACH
                ? scale
                : builder.mul(builder.spread(Address.at(number(TermBlock.SCALE_OF_A), 0)), scale);
    }

    /** Leaves both pointers at the next tile. */
    private void store(VectorVar[] tile, ScalarVar row, ScalarVar to) {
        MaskVar mask = variant.masked() ? builder.firstLanes(number(TermBlock.TAIL)) : null;
        ScalarVar ldc = number(TermBlock.STRIDE_OF_C);
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < vectors; ) {
                j += store(tile, i * vectors, j, row, to, mask);
            }
            builder.advance(row, stride);
            builder.advance(to, ldc);
        }
        if (variant.activation() != Activation.NONE && variant.activation() != Activation.RELU) {
            activate(to, ldc, mask);
        }
    }

    /** Stores a vector of a row of a tile, or some at once. Returns how many. */
    private int store(VectorVar[] tile, int start, int vector, ScalarVar row, ScalarVar to, @Nullable MaskVar mask) {
        QuantisedOutput output = variant.output();
        Address at = Address.at(to, vector * builder.target().lanes() * output.bytes());
        @Nullable MaskVar own = maskOf(vector, mask);
        VectorVar sum = finished(tile[start + vector], row, vector);
        switch (output) {
            case S32 -> builder.store(at, sum, own);
            case F32 -> builder.store(at, dequantised(sum, row, vector), own);
            case U8, S8 -> {
                int whole = vectors - vector - (mask == null ? 0 : 1);
                int together = whole < 2 ? 1 : Requantisation.together(builder, whole);
                VectorVar[] values = new VectorVar[together];
                for (int i = 0; i < together; i++) {
                    VectorVar next = i == 0 ? sum : finished(tile[start + vector + i], row, vector + i);
                    values[i] = scaled(next, row, vector + i);
                }
                if (together > 1) {
                    boolean signed = output == QuantisedOutput.S8;
                    Requantisation.store(builder, at, values, terms, TermBlock.REQUANTISATION, signed);
                } else {
                    VectorVar number = Requantisation.write(builder, values[0], terms, TermBlock.REQUANTISATION);
                    builder.store(Element.U8, at, number, own);
                }
                return together;
            }
        }
        return 1;
    }

    /** A sum without what is not the same for all rows. */
    private VectorVar finished(VectorVar sum, ScalarVar row, int vector) {
        VectorVar left = variant.form() == RowForm.EACH
                ? withoutZero(sum, builder.spread(Address.at(row, PackedRow.ZERO)), vector)
                : sum;
        if (!variant.zeros()) {
            return left;
        }
        VectorVar rowSum = builder.spread(Address.at(row, PackedRow.SUM));
        VectorVar product = builder.binary(BinaryOp.INT_MUL, rowSum, term(TermBlock.ZEROS, vector, null));
        return builder.binary(BinaryOp.INT_SUB, left, product);
    }

    private VectorVar scaled(VectorVar sum, ScalarVar row, int vector) {
        VectorVar factor = builder.load(Address.at(terms, TermBlock.FACTORS + vector * bytes));
        if (variant.form() == RowForm.EACH) {
            factor = builder.mul(builder.spread(Address.at(row, PackedRow.SCALE)), factor);
        }
        return builder.mul(builder.unary(UnaryOp.TO_FLOAT, sum), factor);
    }

    private VectorVar dequantised(VectorVar sum, ScalarVar row, int vector) {
        VectorVar scaled = scaled(sum, row, vector);
        VectorVar value = variant.bias()
                ? builder.add(scaled, builder.load(Address.at(terms, TermBlock.BIASES + vector * bytes)))
                : scaled;
        return variant.activation() == Activation.RELU ? builder.max(Constant.ZERO, value) : value;
    }

    /** Over the tile that was just written and ends at a pointer, back and forth, now that its registers are free. */
    private void activate(ScalarVar end, ScalarVar ldc, @Nullable MaskVar mask) {
        ScalarVar left = builder.scalar("left");
        builder.set(left, rows);
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
        builder.scalar(tile, ScalarOp.MUL, ldc, rows);
        builder.advance(end, tile);
    }
}
