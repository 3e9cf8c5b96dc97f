package dev.millrace.kernels.expression;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The inputs of an expression.
 *
 * @param inputs the inputs that are read at each position
 * @param singles the inputs of which one element is read
 */
public record ExprInputs(Set<Expr.Input> inputs, Set<Expr.Single> singles) {
    public static ExprInputs of(Expr expression) {
        ExprInputs found = new ExprInputs(new LinkedHashSet<>(), new LinkedHashSet<>());
        found.collect(expression);
        return found;
    }

    /** The number of operands: one more than the highest index of an input. */
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

    /** Returns the size of an element of each input by index; 0 for an input that is not read. */
    public List<Integer> elementBytes() {
        List<Integer> bytes = new ArrayList<>(Collections.nCopies(operands(), 0));
        singles.forEach(single -> bytes.set(single.index(), single.type().bytes()));
        inputs.forEach(input -> bytes.set(input.index(), input.type().bytes()));
        return bytes;
    }

    /** Returns the indices of the inputs that are read at each position. */
    public Set<Integer> indices() {
        return inputs.stream().map(Expr.Input::index).collect(Collectors.toSet());
    }

    private void collect(Expr expression) {
        switch (expression) {
            case Expr.Input input -> inputs.add(input);
            case Expr.Single single -> singles.add(single);
            case Expr.Literal _ -> {}
            case Expr.Apply(FloatFunction _, Expr argument) -> collect(argument);
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
