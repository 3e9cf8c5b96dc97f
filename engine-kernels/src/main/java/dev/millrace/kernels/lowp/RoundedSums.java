package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/** The writer of the sums of products of a block of a rounded row and the 4-bit weights that a panel has for it. */
final class RoundedSums {
    /** The number of groups whose products of nibbles and bytes, two for each, can be added up in 16 bits. */
    private static final int GROUPS_IN_16_BITS = 4;

    private static final Constant MIDDLES = Constant.ofBits(0x88888888);
    private static final Constant LOW = Constant.ofBits(0x0f0f0f0f);
    private static final Constant ONES = Constant.ofBits(0x00010001);

    private final ProgramBuilder builder;
    private final WeightFormat format;
    private final WeightSteps steps;
    private final boolean whole;
    private final VectorVar[] sums;
    private final VectorVar[] halves;
    private final VectorVar ones;

    RoundedSums(ProgramBuilder builder, WeightFormat format, WeightSteps steps, int vectors) {
        this.builder = builder;
        this.format = format;
        this.steps = steps;
        whole = IntegerDot.hasWhole(builder.target());
        sums = new VectorVar[vectors];
        halves = new VectorVar[vectors];
        ones = builder.vector("ones");
    }

    /** Writes the preparation before the first block. */
    void begin() {
        for (int j = 0; j < sums.length; j++) {
            sums[j] = builder.vector("sum");
            halves[j] = builder.vector("halves");
        }
        if (!whole) {
            builder.set(ones, ONES);
        }
    }

    /**
     * Adds a block to the totals.
     *
     * @param a the address of the block of the row
     * @param panel the address of the groups of weights, behind their terms; advanced past them
     */
    void block(ScalarVar a, ScalarVar terms, ScalarVar panel, VectorVar[] totals) {
        // Before the groups: memory that is read in order is prefetched by the processor itself.
        VectorVar[] scales = new VectorVar[sums.length];
        for (int j = 0; j < sums.length; j++) {
            scales[j] = steps.scale(terms, j);
        }
        VectorVar start = builder.broadcast(Address.at(a, RoundedRow.START));
        for (VectorVar sum : sums) {
            builder.set(sum, start);
        }
        ScalarVar elements = builder.copy(a, "elements");
        builder.advance(elements, RoundedRow.DATA);
        int depth = format.type().group();
        int together = Math.min(GROUPS_IN_16_BITS, format.block() / depth);
        ScalarVar groups = builder.scalar("groups");
        builder.set(groups, format.block() / depth);
        try (var _ = builder.loop(groups, together)) {
            for (int g = 0; g < together; g++) {
                group(elements, panel, g);
            }
            for (int j = 0; j < sums.length && !whole; j++) {
                builder.binary(sums[j], BinaryOp.INT_ADD, sums[j], builder.binary(BinaryOp.DOT_S16, halves[j], ones));
            }
            builder.advance(elements, depth * together);
            builder.advance(panel, steps.groupBytes() * together);
        }
        scale(a, terms, scales, totals);
    }

    private void group(ScalarVar elements, ScalarVar panel, int number) {
        int depth = format.type().group();
        int at = number * steps.groupBytes();
        VectorVar even = builder.broadcast(Address.at(elements, number * depth));
        VectorVar odd = builder.broadcast(Address.at(elements, number * depth + depth / 2));
        steps.fetch(panel, at);
        for (int j = 0; j < sums.length; j++) {
            VectorVar weights = builder.binary(BinaryOp.XOR, steps.group(panel, at, j), MIDDLES);
            VectorVar upper = builder.binary(BinaryOp.SHIFT_RIGHT, weights, Constant.ofBits(4));
            multiply(j, builder.binary(BinaryOp.AND, weights, LOW), even, number == 0);
            multiply(j, builder.binary(BinaryOp.AND, upper, LOW), odd, false);
        }
    }

    private void multiply(int vector, VectorVar weights, VectorVar elements, boolean first) {
        if (whole) {
            builder.dot(DotOp.U8S8, sums[vector], weights, elements);
            return;
        }
        VectorVar products = builder.binary(BinaryOp.DOT_U8S8_SATURATED, weights, elements);
        if (first) {
            builder.set(halves[vector], products);
        } else {
            builder.binary(halves[vector], BinaryOp.ADD_S16, halves[vector], products);
        }
    }

    private void scale(ScalarVar a, ScalarVar terms, VectorVar[] scales, VectorVar[] totals) {
        VectorVar scale = builder.broadcast(Address.at(a, RoundedRow.SCALE));
        for (int j = 0; j < sums.length; j++) {
            VectorVar sum = builder.mul(builder.unary(UnaryOp.TO_FLOAT, sums[j]), scale);
            if (format.zeros()) {
                sum = builder.multiplyAdd(steps.zero(terms, j), builder.broadcast(Address.at(a, RoundedRow.ZERO)), sum);
            }
            builder.accumulate(totals[j], sum, scales[j]);
        }
    }
}
