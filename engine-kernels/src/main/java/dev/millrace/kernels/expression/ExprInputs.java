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

    private void collect(Expr expression) {
        if (expression instanceof Expr.Input input) {
            inputs.add(input);
        } else if (expression instanceof Expr.Single single) {
            singles.add(single);
        } else if (expression instanceof Expr.Apply apply) {
            collect(apply.argument());
        } else if (expression instanceof Expr.Combine combine) {
            collect(combine.left());
            collect(combine.right());
        }
    }
}
