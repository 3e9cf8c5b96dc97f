package dev.millrace.kernels.quantised;

import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.DotOp;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.VectorVar;

/** Writes the sums of products of a tile: some packed rows of A times a panel of B. */
final class IntegerSums {
    private static final int UNROLL = 4;
    /** Enough chains of sums to hide the latency of the one instruction that multiplies and adds. */
    private static final int CHAINS = 8;

    private static final Constant ONES = Constant.ofBits(0x00010001);

    private final ProgramBuilder builder;
    private final IntegerDot dot;
    private final int rows;
    private final int vectors;
    private final int bytes;
    private final int unroll;
    private final int sets;
    private final ScalarVar stride;
    private final ScalarVar stride3;
    private final ScalarVar stride5;
    private final VectorVar[][] sums;

    IntegerSums(ProgramBuilder builder, IntegerDot dot, int rows, int vectors, ScalarVar stride) {
        this.builder = builder;
        this.dot = dot;
        this.rows = rows;
        this.vectors = vectors;
        this.stride = stride;
        bytes = builder.target().vectorBytes();
        unroll = dot == IntegerDot.PAIRS ? builder.target().lanes() : UNROLL;
        sets = dot == IntegerDot.WHOLE ? sets(rows * vectors) : 1;
        stride3 = rows > 3 ? multiple(3) : stride;
        stride5 = rows > 5 ? multiple(5) : stride;
        sums = new VectorVar[sets][rows * vectors];
    }

    private static int sets(int sumsOfTile) {
        int sets = 1;
        while (sumsOfTile * sets < CHAINS && 2 * sets <= UNROLL) {
            sets *= 2;
        }
        return sets;
    }

    private ScalarVar multiple(int factor) {
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

    /** @return the sums, row by row */
    VectorVar[] write(ScalarVar a, ScalarVar b, ScalarVar fours) {
        start(a);
        ScalarVar left = builder.copy(a, "left");
        builder.advance(left, PackedRow.DATA);
        ScalarVar right = builder.copy(b, "right");
        if (dot == IntegerDot.PAIRS) {
            pairs(left, right, fours);
        } else {
            bytes(left, right, fours);
        }
        return addedUp();
    }

    private void start(ScalarVar a) {
        for (int set = 0; set < sets; set++) {
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < vectors; j++) {
                    sums[set][i * vectors + j] = builder.vector("sum");
                    if (dot == IntegerDot.PAIRS && j > 0) {
                        builder.set(sums[set][i * vectors + j], sums[set][i * vectors]);
                    } else if (dot == IntegerDot.PAIRS) {
                        builder.set(sums[set][i * vectors], builder.spread(row(a, i, PackedRow.START)));
                    } else {
                        builder.set(sums[set][i * vectors + j], Constant.ZERO);
                    }
                }
            }
        }
    }

    private void bytes(ScalarVar left, ScalarVar right, ScalarVar fours) {
        VectorVar ones = builder.vector("ones");
        if (dot == IntegerDot.BYTES) {
            builder.set(ones, ONES);
        }
        for (int count : new int[] {unroll, 1}) {
            try (var _ = builder.loop(fours, count)) {
                for (int k = 0; k < count; k++) {
                    multiplyBytes(left, right, k, ones);
                }
                builder.advance(left, 4 * count);
                builder.advance(right, count * vectors * bytes);
            }
        }
    }

    private void multiplyBytes(ScalarVar left, ScalarVar right, int k, VectorVar ones) {
        VectorVar[] rightRow = new VectorVar[vectors];
        for (int j = 0; j < vectors; j++) {
            rightRow[j] = builder.load(Address.at(right, (k * vectors + j) * bytes));
        }
        for (int i = 0; i < rows; i++) {
            VectorVar four = builder.spread(row(left, i, 4 * k));
            for (int j = 0; j < vectors; j++) {
                VectorVar sum = sums[k % sets][i * vectors + j];
                if (dot == IntegerDot.WHOLE) {
                    builder.dot(DotOp.U8S8, sum, four, rightRow[j]);
                } else {
                    VectorVar halves = builder.binary(BinaryOp.DOT_U8S8_SATURATED, four, rightRow[j]);
                    builder.binary(sum, BinaryOp.INT_ADD, sum, builder.binary(BinaryOp.DOT_S16, halves, ones));
                }
            }
        }
    }

    private void pairs(ScalarVar left, ScalarVar right, ScalarVar fours) {
        try (var _ = builder.loop(fours, unroll)) {
            for (int k = 0; k < unroll; k++) {
                multiplyPairs(left, right, k);
            }
            builder.advance(left, 2 * bytes);
            builder.advance(right, 2 * unroll * vectors * bytes);
        }
        try (var _ = builder.loop(fours, 1)) {
            multiplyPairs(left, right, 0);
            builder.advance(left, 4);
            builder.advance(right, 2 * vectors * bytes);
        }
    }

    private void multiplyPairs(ScalarVar left, ScalarVar right, int k) {
        VectorVar[] odd = new VectorVar[vectors];
        VectorVar[] even = new VectorVar[vectors];
        for (int j = 0; j < vectors; j++) {
            int at = 2 * (k * vectors + j) * bytes;
            odd[j] = builder.load(Address.at(right, at));
            even[j] = builder.load(Address.at(right, at + bytes));
        }
        for (int i = 0; i < rows; i++) {
            VectorVar evenOfA = builder.spread(row(left, i, 4 * k));
            VectorVar oddOfA = builder.spread(row(left, i, 4 * k + bytes));
            for (int j = 0; j < vectors; j++) {
                VectorVar sum = sums[0][i * vectors + j];
                VectorVar first = builder.binary(BinaryOp.ADD_S16, evenOfA, odd[j]);
                VectorVar second = builder.binary(BinaryOp.ADD_S16, oddOfA, even[j]);
                builder.binary(sum, BinaryOp.INT_ADD, sum, builder.binary(BinaryOp.DOT_S16, first, second));
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
