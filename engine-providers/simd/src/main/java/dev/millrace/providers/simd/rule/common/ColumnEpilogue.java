package dev.millrace.providers.simd.rule.common;

import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.EpilogueOperand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The part of an expression over sums that products of quantised matrices apply themselves: conversion to floats,
 * scales, a bias and an activation.
 *
 * @param scales the factors of the sums: inputs and literals, at most one of which is per column
 * @param bias the input that is added per column, or null
 * @param rest the remaining expression, with the floats as input 0
 */
public record ColumnEpilogue(List<Expr> scales, Expr.@Nullable Input bias, Activation activation, Expr rest) {
    private static final Expr INTS = Expr.input(0, DataType.S32).to(Kind.FLOAT);
    private static final Expr RESULT = Expr.input(0);
    /** The most scales: one of the rows of A, and one of the columns. */
    private static final int MOST_SCALES = 2;

    /** Whether no further expression remains. */
    public boolean isAll() {
        return rest.equals(RESULT);
    }

    /**
     * Returns the part of an expression that products with integer sums apply.
     *
     * @param kinds how inputs 1, 2 and so on are broadcast to the elements of the result
     * @param known the activations that the products can apply
     * @return null where the sums are not converted to floats in one place
     */
    public static @Nullable ColumnEpilogue ofInts(
            Expr expression, List<EpilogueOperand> kinds, List<Activation> known) {
        return new Search(INTS, true, kinds, known).of(expression);
    }

    /** Returns the part of an expression that products with float sums apply. */
    public static ColumnEpilogue ofFloats(Expr expression, List<EpilogueOperand> kinds, List<Activation> known) {
        ColumnEpilogue found = new Search(RESULT, false, kinds, known).of(expression);
        return found == null ? new ColumnEpilogue(List.of(), null, Activation.NONE, expression) : found;
    }

    /** @param sum the expression that stands for the sums */
    private record Search(Expr sum, boolean scaled, List<EpilogueOperand> kinds, List<Activation> known) {
        @Nullable
        ColumnEpilogue of(Expr expression) {
            var candidates = new ArrayList<Expr>();
            collect(expression, candidates);
            for (Expr candidate : candidates) {
                ColumnEpilogue found = match(candidate);
                if (found != null
                        && !Expressions.reads(Expressions.replaced(expression, candidate, Expr.number(0)), 0)) {
                    Expr rest = Expressions.replaced(expression, candidate, RESULT);
                    return new ColumnEpilogue(found.scales, found.bias, found.activation, rest);
                }
            }
            return null;
        }

        /** Collects the subexpressions that read the sums, larger ones first. */
        private void collect(Expr expression, List<Expr> into) {
            if (Expressions.reads(expression, 0)) {
                into.add(expression);
                Expressions.parts(expression).forEach(part -> collect(part, into));
            }
        }

        private @Nullable ColumnEpilogue match(Expr expression) {
            for (Activation activation : known) {
                Expr inner = Expressions.argument(activation, expression);
                ColumnEpilogue found = inner == null ? null : biased(inner, activation);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }

        private @Nullable ColumnEpilogue biased(Expr expression, Activation activation) {
            List<Expr> scales = scales(expression);
            if (scales != null) {
                return new ColumnEpilogue(scales, null, activation, RESULT);
            }
            if (!(expression instanceof Expr.Combine(Operator operator, Expr left, Expr right))
                    || operator != Operator.ADD) {
                return null;
            }
            boolean before = isColumn(left);
            List<Expr> inner = scales(before ? right : left);
            boolean fits = isColumn(before ? left : right);
            return inner != null && fits
                    ? new ColumnEpilogue(inner, (Expr.Input) (before ? left : right), activation, RESULT)
                    : null;
        }

        private @Nullable List<Expr> scales(Expr expression) {
            if (expression.equals(sum)) {
                return List.of();
            }
            if (!scaled
                    || !(expression instanceof Expr.Combine(Operator operator, Expr left, Expr right))
                    || operator != Operator.MUL) {
                return null;
            }
            boolean before = isScale(left);
            Expr scale = before ? left : right;
            List<Expr> inner = isScale(scale) ? scales(before ? right : left) : null;
            if (inner == null || inner.size() == MOST_SCALES) {
                return null;
            }
            var scales = new ArrayList<>(inner);
            scales.add(scale);
            return scales.stream().filter(some -> isColumn(some)).count() > 1 ? null : scales;
        }

        private boolean isScale(Expr expression) {
            boolean isOne = expression instanceof Expr.Input(int index, DataType type)
                    && type == DataType.F32
                    && index > 0
                    && kinds.get(index - 1) == EpilogueOperand.SINGLE;
            return isOne || expression instanceof Expr.Literal || isColumn(expression);
        }

        private boolean isColumn(Expr expression) {
            return expression instanceof Expr.Input(int index, DataType type)
                    && type == DataType.F32
                    && index > 0
                    && kinds.get(index - 1) == EpilogueOperand.COLUMN;
        }
    }
}
