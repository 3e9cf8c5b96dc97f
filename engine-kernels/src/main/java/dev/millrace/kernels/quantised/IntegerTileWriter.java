package dev.millrace.kernels.quantised;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Element;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.UnaryOp;
import dev.millrace.kernels.program.VectorVar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a member of {@link IntegerTile}: the sums of a tile, then what becomes of them. */
final class IntegerTileWriter {
    private static final int MAX_TAIL = 31;

    private final ProgramBuilder builder;
    private final IntegerTile.Variant variant;
    private final int rows;
    private final int vectors;
    private final int bytes;
    private final ScalarVar a;
    private final ScalarVar b;
    private final ScalarVar c;
    private final ScalarVar terms;
    private final ScalarVar sizes;
    private final ScalarVar stride;
    private final ScalarVar ldc;

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
        ScalarVar strides = builder.parameter("strides");
        sizes = builder.parameter("sizes");
        stride = builder.low(strides, "stride");
        ldc = builder.high(strides, "ldc");
    }

    Program program() {
        IntegerSums sums = new IntegerSums(builder, variant.dot(), rows, vectors, stride);
        ScalarVar tiles = builder.high(sizes, "tiles");
        try (var _ = builder.loop(tiles, 1)) {
            ScalarVar fours = builder.scalar("fours");
            builder.scalar(fours, ScalarOp.AND, sizes, IntegerTile.MAX_FOURS);
            VectorVar[] tile = sums.write(a, b, fours);
            MaskVar mask = variant.masked() ? tail() : null;
            store(tile, mask);
            if (variant.activation() != Activation.NONE && variant.activation() != Activation.RELU) {
                activate(mask);
            }
            down(a, stride);
            down(c, ldc);
        }
        return builder.build();
    }

    private void down(ScalarVar pointer, ScalarVar rowBytes) {
        ScalarVar step = builder.scalar("step");
        builder.scalar(step, ScalarOp.MUL, rowBytes, rows);
        builder.advance(pointer, step);
    }

    private MaskVar tail() {
        ScalarVar tail = builder.scalar("tail");
        builder.scalar(tail, ScalarOp.SHR, sizes, IntegerTile.TAIL_SHIFT);
        builder.scalar(tail, ScalarOp.AND, tail, MAX_TAIL);
        return builder.firstLanes(tail);
    }

    private @Nullable MaskVar maskOf(int vector, @Nullable MaskVar mask) {
        return vector == vectors - 1 ? mask : null;
    }

    private VectorVar term(int pointer, int vector, @Nullable MaskVar mask) {
        return builder.load(Address.at(builder.loadLong(Address.at(terms, pointer), "term"), vector * bytes), mask);
    }

    private void store(VectorVar[] tile, @Nullable MaskVar mask) {
        ScalarVar from = builder.copy(a, "from");
        ScalarVar to = builder.copy(c, "to");
        for (int i = 0; i < rows; i++) {
            for (int j = 0; j < vectors; j++) {
                VectorVar sum = withoutZeroPoints(tile[i * vectors + j], from, j);
                Address at = Address.at(
                        to, j * builder.target().lanes() * variant.output().bytes());
                switch (variant.output()) {
                    case S32 -> builder.store(at, withBias(sum, BinaryOp.INT_ADD, j, mask), maskOf(j, mask));
                    case F32 -> builder.store(at, dequantised(sum, from, j, mask), maskOf(j, mask));
                    case U8, S8 -> builder.store(Element.U8, at, requantised(sum, from, j, mask), maskOf(j, mask));
                }
            }
            if (i < rows - 1) {
                builder.advance(from, stride);
                builder.advance(to, ldc);
            }
        }
    }

    /** What the zero points of both factors add to a sum is taken off it again. */
    private VectorVar withoutZeroPoints(VectorVar sum, ScalarVar row, int vector) {
        VectorVar zero = builder.spread(Address.at(row, PackedRow.ZERO));
        VectorVar left = builder.binary(
                BinaryOp.INT_SUB, sum, builder.binary(BinaryOp.INT_MUL, zero, term(TermBlock.SUMS, vector, null)));
        if (variant.dot() == IntegerDot.PAIRS) {
            left = builder.binary(BinaryOp.INT_SUB, left, term(TermBlock.PAIRS, vector, null));
        }
        if (variant.zeros()) {
            VectorVar rowSum = builder.spread(Address.at(row, PackedRow.SUM));
            VectorVar product = builder.binary(BinaryOp.INT_MUL, rowSum, term(TermBlock.ZEROS, vector, null));
            left = builder.binary(BinaryOp.INT_SUB, left, product);
        }
        return left;
    }

    private VectorVar withBias(VectorVar value, BinaryOp add, int vector, @Nullable MaskVar mask) {
        return variant.bias() ? builder.binary(add, value, term(TermBlock.BIAS, vector, maskOf(vector, mask))) : value;
    }

    private VectorVar scaled(VectorVar sum, ScalarVar row, int vector, @Nullable MaskVar mask) {
        VectorVar scale = variant.scales()
                ? term(TermBlock.SCALES, vector, maskOf(vector, mask))
                : builder.spread(Address.at(builder.loadLong(Address.at(terms, TermBlock.SCALES), "scales"), 0));
        VectorVar both = builder.mul(builder.spread(Address.at(row, PackedRow.SCALE)), scale);
        return builder.mul(builder.unary(UnaryOp.TO_FLOAT, sum), both);
    }

    private VectorVar dequantised(VectorVar sum, ScalarVar row, int vector, @Nullable MaskVar mask) {
        VectorVar value = withBias(scaled(sum, row, vector, mask), BinaryOp.ADD, vector, mask);
        return variant.activation() == Activation.RELU ? builder.max(Constant.ZERO, value) : value;
    }

    private VectorVar requantised(VectorVar sum, ScalarVar row, int vector, @Nullable MaskVar mask) {
        VectorVar value = scaled(withBias(sum, BinaryOp.INT_ADD, vector, mask), row, vector, mask);
        VectorVar notBelow = builder.max(value, builder.spread(Address.at(terms, TermBlock.LEAST)));
        VectorVar within = builder.min(notBelow, builder.spread(Address.at(terms, TermBlock.MOST)));
        VectorVar zero = builder.spread(Address.at(terms, TermBlock.ZERO_OF_C));
        return builder.binary(BinaryOp.INT_ADD, builder.unary(UnaryOp.TO_INT, within), zero);
    }

    /** Over the tile that was just written, now that its registers are free. */
    private void activate(@Nullable MaskVar mask) {
        ScalarVar at = builder.copy(c, "at");
        ScalarVar left = builder.scalar("left");
        builder.set(left, rows);
        Expr x = Expr.input(0);
        try (var _ = builder.loop(left, 1)) {
            for (int j = 0; j < vectors; j++) {
                Address place = Address.at(at, j * bytes);
                ExprWriter writer = new ExprWriter(builder, Map.of(x, builder.load(place, maskOf(j, mask))));
                builder.store(place, writer.write(variant.activation().of(x)), maskOf(j, mask));
            }
            builder.advance(at, ldc);
        }
    }
}
