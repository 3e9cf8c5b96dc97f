package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.util.HashMap;
import java.util.Map;

/** Writes expressions as steps of a program; what it wrote before, it uses again. */
public final class ExprWriter {
    private static final Constant ONE = Constant.ofBits(1);

    private final ProgramBuilder builder;
    private final FloatOperators floats;
    private final IntSteps ints;
    private final Map<Expr, ProgramValue> written = new HashMap<>();

    /** @param inputs the values of the inputs and single elements that the expressions use */
    public ExprWriter(ProgramBuilder builder, Map<Expr, ? extends ProgramValue> inputs) {
        this.builder = builder;
        this.floats = new FloatOperators(builder);
        this.ints = new IntSteps(builder);
        written.putAll(inputs);
    }

    /** The value of an expression, in a register. */
    public VectorVar write(Expr expression) {
        ProgramValue value = value(expression);
        return value instanceof VectorVar variable ? variable : builder.unary(UnaryOp.COPY, value);
    }

    private ProgramValue value(Expr expression) {
        ProgramValue known = written.get(expression);
        if (known == null) {
            known = compute(expression);
            written.put(expression, known);
        }
        return known;
    }

    private ProgramValue compute(Expr expression) {
        return switch (expression) {
            case Expr.Literal(int bits, Kind _) -> Constant.ofBits(bits);
            case Expr.Apply(FloatFunction function, Expr argument) -> function.write(builder, value(argument));
            case Expr.Convert(Kind to, Expr argument) -> convert(to, argument);
            case Expr.Combine combine -> combine(combine);
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) ->
                choose(condition(condition), value(then), value(otherwise));
            case Expr.Input _, Expr.Single _ ->
                throw new IllegalArgumentException("nothing was given for " + expression);
        };
    }

    private ProgramValue combine(Expr.Combine combine) {
        if (combine.operator().isComparison()) {
            return choose(condition(combine), ONE, Constant.ZERO);
        }
        ProgramValue a = value(combine.left());
        ProgramValue b = value(combine.right());
        return combine.kind() == Kind.FLOAT
                ? floats.combine(combine.operator(), a, b)
                : ints.combine(combine.operator(), a, b);
    }

    private ProgramValue convert(Kind to, Expr argument) {
        Kind from = argument.kind();
        if (to == from || to == Kind.INT && from == Kind.BOOL) {
            return value(argument);
        }
        return switch (to) {
            case FLOAT -> builder.unary(UnaryOp.TO_FLOAT, value(argument));
            case INT -> builder.unary(UnaryOp.TO_INT, builder.unary(UnaryOp.TRUNCATE, value(argument)));
            case BOOL -> value(argument.combine(Operator.NOT_EQUAL, new Expr.Literal(0, from)));
        };
    }

    /** @param inverted whether the lanes that are not in the mask are meant */
    private record Condition(MaskVar mask, boolean inverted) {}

    private VectorVar choose(Condition condition, ProgramValue then, ProgramValue otherwise) {
        return condition.inverted()
                ? builder.select(condition.mask(), otherwise, then)
                : builder.select(condition.mask(), then, otherwise);
    }

    private Condition condition(Expr expression) {
        if (expression instanceof Expr.Combine(Operator operator, Expr left, Expr right) && operator.isComparison()) {
            ProgramValue a = value(left);
            ProgramValue b = value(right);
            return left.kind() == Kind.FLOAT ? ofFloats(operator, a, b) : ofInts(operator, a, b);
        }
        return new Condition(builder.compare(Comparison.INT_EQUAL, value(expression), ONE), false);
    }

    private Condition ofFloats(Operator operator, ProgramValue a, ProgramValue b) {
        Comparison comparison = switch (operator) {
            case EQUAL -> Comparison.EQUAL;
            case NOT_EQUAL -> Comparison.NOT_EQUAL;
            case LESS -> Comparison.LESS;
            case LESS_OR_EQUAL -> Comparison.LESS_OR_EQUAL;
            case GREATER -> Comparison.GREATER;
            default -> Comparison.GREATER_OR_EQUAL;
        };
        return new Condition(builder.compare(comparison, a, b), false);
    }

    private Condition ofInts(Operator operator, ProgramValue a, ProgramValue b) {
        return switch (operator) {
            case EQUAL -> new Condition(builder.compare(Comparison.INT_EQUAL, a, b), false);
            case NOT_EQUAL -> new Condition(builder.compare(Comparison.INT_EQUAL, a, b), true);
            case LESS -> new Condition(builder.compare(Comparison.INT_GREATER, b, a), false);
            case LESS_OR_EQUAL -> new Condition(builder.compare(Comparison.INT_GREATER, a, b), true);
            case GREATER -> new Condition(builder.compare(Comparison.INT_GREATER, a, b), false);
            default -> new Condition(builder.compare(Comparison.INT_GREATER, b, a), true);
        };
    }
}
