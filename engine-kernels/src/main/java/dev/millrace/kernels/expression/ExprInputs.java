package dev.millrace.kernels.expression;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What an expression reads.
 *
 * @param inputs those read at each place
 * @param singles those of which one element is read
 */
public record ExprInputs(Set<Expr.Input> inputs, Set<Expr.Single> singles) {
    public static ExprInputs of(Expr expression) {
        ExprInputs found = new ExprInputs(new LinkedHashSet<>(), new LinkedHashSet<>());
        found.collect(expression);
        return found;
    }

    /** One more than the highest index of an input. */
    public int operands() {
        int operands = 0;
        for (Expr.Input input : inputs) {
            operands = Math.max(operands, input.index() + 1);
        }
        for (Expr.Single single : singles) {
            operands = Math.max(operands, single.index() + 1);
        }
        return operands;
    }

    private void collect(Expr expression) {
        switch (expression) {
            case Expr.Input input -> inputs.add(input);
            case Expr.Single single -> singles.add(single);
            case Expr.Literal _ -> {}
            case Expr.Apply(Function _, Expr argument) -> collect(argument);
            case Expr.Convert(Kind _, Expr argument) -> collect(argument);
            case Expr.Combine(Operator _, Expr left, Expr right) -> {
                collect(left);
                collect(right);
            }
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) -> {
                collect(condition);
                collect(then);
                collect(otherwise);
            }
        }
    }
}
