package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/** Writes operators between floats. */
final class FloatOperators {
    /** Each takes 2^23 off the quotient. */
    private static final int DIVISIONS = 3;

    private final ProgramBuilder builder;
    private final MathSteps math;

    FloatOperators(ProgramBuilder builder) {
        this.builder = builder;
        this.math = new MathSteps(builder);
    }

    VectorVar combine(Operator operator, ProgramValue a, ProgramValue b) {
        return switch (operator) {
            case ADD -> builder.add(a, b);
            case SUB -> builder.sub(a, b);
            case MUL -> builder.mul(a, b);
            case DIV -> builder.div(a, b);
            case MAX -> orNaN(a, b, BinaryOp.MAX);
            case MIN -> orNaN(a, b, BinaryOp.MIN);
            case REMAINDER -> remainder(a, b);
            case POWER -> new PowerSteps(builder).power(a, b);
            default -> throw new IllegalArgumentException(operator.name());
        };
    }

    /** The step passes a NaN of its second operand only. */
    private VectorVar orNaN(ProgramValue a, ProgramValue b, BinaryOp op) {
        VectorVar result = builder.binary(op, a, b);
        if (a instanceof Constant constant && !Float.isNaN(Float.intBitsToFloat(constant.bits()))) {
            return result;
        }
        if (b instanceof Constant constant && !Float.isNaN(Float.intBitsToFloat(constant.bits()))) {
            return builder.binary(op, b, a);
        }
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, a, a);
        return builder.select(isNaN, a, result);
    }

    /** Each difference is exact; a quotient that was rounded up makes the last one negative. */
    private VectorVar remainder(ProgramValue a, ProgramValue b) {
        VectorVar divisor = math.abs(b);
        VectorVar rest = math.abs(a);
        for (int i = 0; i < DIVISIONS; i++) {
            VectorVar quotient = builder.unary(UnaryOp.TRUNCATE, builder.div(rest, divisor));
            rest = builder.multiplySubtract(quotient, divisor, rest);
        }
        MaskVar negative = builder.compare(Comparison.LESS, rest, Constant.ZERO);
        VectorVar positive = builder.select(negative, builder.add(rest, divisor), rest);
        MaskVar infinite = builder.compare(Comparison.EQUAL, divisor, Constant.of(Float.POSITIVE_INFINITY));
        VectorVar wholeIfInfinite = builder.select(infinite, builder.sub(a, a), Constant.ZERO);
        VectorVar ofInfinite = builder.add(wholeIfInfinite, math.abs(a));
        return math.withSign(builder.select(infinite, ofInfinite, positive), a);
    }
}
