package dev.millrace.kernels.expression;

import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Comparison;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.UnaryOp;
import dev.millrace.kernels.program.Value;
import dev.millrace.kernels.program.VectorVar;
import java.util.HashMap;
import java.util.Map;

/** Writes expressions as steps of a program; what it wrote before, it uses again. */
public final class ExprWriter {
    private final ProgramBuilder builder;
    private final MathSteps math;
    private final Map<Expr, Value> written = new HashMap<>();

    /** @param inputs the values of the inputs and single elements that the expressions use */
    public ExprWriter(ProgramBuilder builder, Map<Expr, ? extends Value> inputs) {
        this.builder = builder;
        this.math = new MathSteps(builder);
        written.putAll(inputs);
    }

    /** The value of an expression, in a register. */
    public VectorVar write(Expr expression) {
        Value value = value(expression);
        return value instanceof VectorVar variable ? variable : builder.unary(UnaryOp.COPY, value);
    }

    private Value value(Expr expression) {
        Value known = written.get(expression);
        if (known == null) {
            known = compute(expression);
            written.put(expression, known);
        }
        return known;
    }

    private Value compute(Expr expression) {
        if (expression instanceof Expr.Literal literal) {
            return Constant.ofBits(literal.bits());
        }
        if (expression instanceof Expr.Apply apply) {
            return apply(apply.function(), value(apply.argument()));
        }
        if (expression instanceof Expr.Combine combine) {
            return combine(combine.operator(), value(combine.left()), value(combine.right()));
        }
        throw new IllegalArgumentException("nothing was given for " + expression);
    }

    private Value apply(Function function, Value x) {
        return switch (function) {
            case NEGATE -> math.negate(x);
            case ABS -> math.abs(x);
            case SQRT -> builder.unary(UnaryOp.SQRT, x);
            case RECIPROCAL -> builder.div(Constant.of(1), x);
            case ROUND -> builder.unary(UnaryOp.ROUND, x);
            case FLOOR -> builder.unary(UnaryOp.FLOOR, x);
            case CEIL -> builder.unary(UnaryOp.CEIL, x);
            case TRUNCATE -> builder.unary(UnaryOp.TRUNCATE, x);
            case RELU -> builder.max(Constant.ZERO, x);
            case EXP -> math.exp(x);
            case LOG -> math.log(x);
            case ERF -> math.erf(x);
            case TANH -> math.tanh(x);
            case SIGMOID -> math.sigmoid(x);
        };
    }

    private Value combine(Operator operator, Value a, Value b) {
        return switch (operator) {
            case ADD -> builder.add(a, b);
            case SUB -> builder.sub(a, b);
            case MUL -> builder.mul(a, b);
            case DIV -> builder.div(a, b);
            case MAX -> orNaN(a, b, BinaryOp.MAX);
            case MIN -> orNaN(a, b, BinaryOp.MIN);
        };
    }

    /** The step passes a NaN of its second operand only. */
    private Value orNaN(Value a, Value b, BinaryOp op) {
        VectorVar result = builder.binary(op, a, b);
        if (a instanceof Constant constant && !Float.isNaN(Float.intBitsToFloat(constant.bits()))) {
            return result;
        }
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, a, a);
        return builder.select(isNaN, a, result);
    }
}
