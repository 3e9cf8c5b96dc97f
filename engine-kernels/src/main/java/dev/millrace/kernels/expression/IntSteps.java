package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/** Writes operators between ints, and between bools. */
final class IntSteps {
    private static final Constant MINUS_ONE = Constant.ofBits(-1);
    private static final Constant SIGN = Constant.ofBits(31);

    private final ProgramBuilder builder;

    IntSteps(ProgramBuilder builder) {
        this.builder = builder;
    }

    VectorVar combine(Operator operator, ProgramValue a, ProgramValue b) {
        return switch (operator) {
            case ADD -> builder.binary(BinaryOp.INT_ADD, a, b);
            case SUB -> builder.binary(BinaryOp.INT_SUB, a, b);
            case MUL -> builder.binary(BinaryOp.INT_MUL, a, b);
            case MAX -> builder.binary(BinaryOp.INT_MAX, a, b);
            case MIN -> builder.binary(BinaryOp.INT_MIN, a, b);
            case AND -> builder.binary(BinaryOp.AND, a, b);
            case OR -> builder.binary(BinaryOp.OR, a, b);
            case XOR -> builder.binary(BinaryOp.XOR, a, b);
            case DIV -> quotient(a, b);
            case REMAINDER -> rest(a, b, quotient(a, b));
            default -> throw new IllegalArgumentException(operator.name());
        };
    }

    private VectorVar rest(ProgramValue a, ProgramValue b, ProgramValue quotient) {
        return builder.binary(BinaryOp.INT_SUB, a, builder.binary(BinaryOp.INT_MUL, quotient, b));
    }

    private VectorVar magnitude(ProgramValue a, ProgramValue sign) {
        return builder.binary(BinaryOp.INT_SUB, builder.binary(BinaryOp.XOR, a, sign), sign);
    }

    private VectorVar floatQuotient(ProgramValue a, ProgramValue divisor) {
        VectorVar quotient = builder.div(builder.unary(UnaryOp.TO_FLOAT, a), divisor);
        return builder.unary(UnaryOp.TO_INT, builder.unary(UnaryOp.TRUNCATE, quotient));
    }

    /**
     * Divides as floats, then what is left once more; after that the quotient is off by one at most. Its remainder
     * tells: it must have the sign of a and be smaller than b.
     */
    private VectorVar quotient(ProgramValue a, ProgramValue b) {
        VectorVar divisor = builder.unary(UnaryOp.TO_FLOAT, b);
        VectorVar first = floatQuotient(a, divisor);
        VectorVar second = floatQuotient(rest(a, b, first), divisor);
        VectorVar quotient = builder.binary(BinaryOp.INT_ADD, first, second);
        VectorVar rest = rest(a, b, quotient);

        VectorVar signA = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, a, SIGN);
        VectorVar signB = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, b, SIGN);
        VectorVar signs = builder.binary(BinaryOp.XOR, signA, signB);
        VectorVar along = magnitude(rest, signA);
        VectorVar tooSmall = builder.binary(BinaryOp.INT_SUB, magnitude(b, signB), Constant.ofBits(1));
        VectorVar up = builder.select(
                builder.compare(Comparison.INT_GREATER, along, tooSmall), Constant.ofBits(1), Constant.ZERO);
        VectorVar step = builder.select(builder.compare(Comparison.INT_GREATER, Constant.ZERO, along), MINUS_ONE, up);
        return builder.binary(BinaryOp.INT_ADD, quotient, magnitude(step, signs));
    }
}
