package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.codegen.program.WideOp;
import dev.millrace.kernels.cast.NumberType;

/** The writer of functions of two vectors of numbers of 64 bits; comparisons set all bits or none. */
final class WideSteps {
    private static final Constant ALL = Constant.ofBits(-1);

    private final ProgramBuilder builder;
    private final boolean floats;

    WideSteps(ProgramBuilder builder, NumberType type) {
        this.builder = builder;
        floats = type.isFloat();
    }

    VectorVar of(WideFunction function, VectorVar a, VectorVar b) {
        return floats ? ofDoubles(function, a, b) : ofInts(function, a, b);
    }

    private VectorVar ofDoubles(WideFunction function, VectorVar a, VectorVar b) {
        return switch (function) {
            case ADD -> builder.wide(WideOp.ADD, a, b);
            case SUB -> builder.wide(WideOp.SUB, a, b);
            case MUL -> builder.wide(WideOp.MUL, a, b);
            case DIV -> builder.wide(WideOp.DIV, a, b);
            case MAX -> orNaN(WideOp.MAX, a, b);
            case MIN -> orNaN(WideOp.MIN, a, b);
            case EQUAL -> builder.wide(WideOp.EQUAL, a, b);
            case LESS -> builder.wide(WideOp.LESS, a, b);
            case LESS_OR_EQUAL -> builder.wide(WideOp.LESS_OR_EQUAL, a, b);
        };
    }

    /**
     * Returns a maximum or minimum that is NaN where an operand is. The step returns its second operand on NaN;
     * combining the bits of both orders with OR leaves a NaN, since further bits do not change that.
     */
    private VectorVar orNaN(WideOp op, VectorVar a, VectorVar b) {
        return builder.binary(BinaryOp.OR, builder.wide(op, a, b), builder.wide(op, b, a));
    }

    private VectorVar ofInts(WideFunction function, VectorVar a, VectorVar b) {
        return switch (function) {
            case ADD -> builder.wide(WideOp.INT_ADD, a, b);
            case SUB -> builder.wide(WideOp.INT_SUB, a, b);
            case MUL -> product(a, b);
            case MAX -> chosen(builder.wide(WideOp.INT_GREATER, a, b), a, b);
            case MIN -> chosen(builder.wide(WideOp.INT_GREATER, b, a), a, b);
            case EQUAL -> builder.wide(WideOp.INT_EQUAL, a, b);
            case LESS -> builder.wide(WideOp.INT_GREATER, b, a);
            case LESS_OR_EQUAL -> builder.binary(BinaryOp.XOR, builder.wide(WideOp.INT_GREATER, a, b), ALL);
            case DIV -> throw new IllegalArgumentException(function.name());
        };
    }

    private VectorVar chosen(VectorVar where, VectorVar then, VectorVar otherwise) {
        VectorVar differing = builder.binary(BinaryOp.XOR, then, otherwise);
        return builder.binary(BinaryOp.XOR, otherwise, builder.binary(BinaryOp.AND, where, differing));
    }

    /**
     * Returns the product of ints: the full product of the lower halves, plus the products of each lower half with the
     * other number's upper half in the upper half.
     */
    private VectorVar product(VectorVar a, VectorVar b) {
        VectorVar crossed = builder.binary(BinaryOp.INT_MUL, a, exchanged(b));
        VectorVar sum = builder.binary(BinaryOp.INT_ADD, crossed, exchanged(crossed));
        VectorVar none = builder.unary(UnaryOp.COPY, Constant.ZERO);
        VectorVar upper = builder.binary(BinaryOp.INTERLEAVE_LOW, none, builder.unary(UnaryOp.COPY, ALL));
        return builder.wide(
                WideOp.INT_ADD, builder.wide(WideOp.INT_PRODUCT, a, b), builder.binary(BinaryOp.AND, sum, upper));
    }

    private VectorVar exchanged(VectorVar numbers) {
        int[] order = new int[builder.target().lanes()];
        for (int i = 0; i < order.length; i++) {
            order[i] = i ^ 1;
        }
        return builder.permute(numbers, order);
    }
}
