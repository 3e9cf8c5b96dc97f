package dev.millrace.providers.simd.rule;

import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Operand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What products of integers write by themselves of an expression over their sums: floats, scaled, with a bias and an
 * activation.
 *
 * @param scales what the sums are multiplied with: inputs and literals, at most one of which is per column
 * @param bias the input that is added per column, or null
 * @param rest what is left of the expression, over the floats as input 0
 */
record IntegerEpilogue(List<Expr> scales, Expr.@Nullable Input bias, Activation activation, Expr rest) {
    private static final Expr SUM = Expr.input(0, DataType.S32);
    private static final Expr RESULT = Expr.input(0);
    /** A scale of the rows of A, and one of the columns. */
    private static final int MOST_SCALES = 2;

    /** Whether nothing is left of the expression. */
    boolean isAll() {
        return rest.equals(RESULT);
    }

    /**
     * The part of an expression that products write.
     *
     * @param kinds how inputs 1, 2 and so on go with the elements of the result
     * @return null where the sums are not made floats in one place
     */
    static @Nullable IntegerEpilogue of(Expr expression, List<Operand> kinds) {
        var candidates = new ArrayList<Expr>();
        collect(expression, candidates);
        for (Expr candidate : candidates) {
            IntegerEpilogue found = match(candidate, kinds);
            Expr rest = found == null ? expression : Expressions.replaced(expression, candidate, RESULT);
            if (found != null && !Expressions.contains(rest, SUM)) {
                return new IntegerEpilogue(found.scales, found.bias, found.activation, rest);
            }
        }
        return null;
    }

    /** Subexpressions that read the sums, larger ones first. */
    private static void collect(Expr expression, List<Expr> into) {
        if (Expressions.contains(expression, SUM)) {
            into.add(expression);
            for (Expr part : Expressions.parts(expression)) {
                collect(part, into);
            }
        }
    }

    private static @Nullable IntegerEpilogue match(Expr expression, List<Operand> kinds) {
        for (Activation activation : Activation.values()) {
            Expr inner = Expressions.argument(activation, expression);
            IntegerEpilogue found = inner == null ? null : biased(inner, activation, kinds);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static @Nullable IntegerEpilogue biased(Expr expression, Activation activation, List<Operand> kinds) {
        List<Expr> scales = scales(expression, kinds);
        if (scales != null) {
            return new IntegerEpilogue(scales, null, activation, RESULT);
        }
        if (!(expression instanceof Expr.Combine(Operator operator, Expr left, Expr right))
                || operator != Operator.ADD) {
            return null;
        }
        boolean before = isColumn(left, kinds);
        List<Expr> inner = scales(before ? right : left, kinds);
        boolean fits = inner != null && isColumn(before ? left : right, kinds);
        return fits ? new IntegerEpilogue(inner, (Expr.Input) (before ? left : right), activation, RESULT) : null;
    }

    private static @Nullable List<Expr> scales(Expr expression, List<Operand> kinds) {
        if (expression instanceof Expr.Convert(Kind kind, Expr sum) && kind == Kind.FLOAT && sum.equals(SUM)) {
            return List.of();
        }
        if (!(expression instanceof Expr.Combine(Operator operator, Expr left, Expr right))
                || operator != Operator.MUL) {
            return null;
        }
        boolean before = isScale(left, kinds);
        Expr scale = before ? left : right;
        List<Expr> inner = isScale(scale, kinds) ? scales(before ? right : left, kinds) : null;
        if (inner == null || inner.size() == MOST_SCALES) {
            return null;
        }
        var scales = new ArrayList<>(inner);
        scales.add(scale);
        return scales.stream().filter(some -> isColumn(some, kinds)).count() > 1 ? null : scales;
    }

    private static boolean isScale(Expr expression, List<Operand> kinds) {
        boolean isOne = expression instanceof Expr.Input(int index, DataType type)
                && type == DataType.F32
                && index > 0
                && kinds.get(index - 1) == Operand.SINGLE;
        return isOne || expression instanceof Expr.Literal || isColumn(expression, kinds);
    }

    private static boolean isColumn(Expr expression, List<Operand> kinds) {
        return expression instanceof Expr.Input(int index, DataType type)
                && type == DataType.F32
                && index > 0
                && kinds.get(index - 1) == Operand.COLUMN;
    }
}
