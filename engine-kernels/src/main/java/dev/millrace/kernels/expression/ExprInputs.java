package dev.millrace.kernels.expression;

import dev.millrace.kernels.rows.RowShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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

    /**
     * Returns the operands of {@link ExprRows}.
     *
     * @param strides the strides of the inputs, in their elements, for each dimension
     */
    public List<RowShape.Operand> rows(RowShape.Operand result, List<Long> strides) {
        List<Long> none = Collections.nCopies(strides.size(), 0L);
        List<RowShape.Operand> rows =
                new ArrayList<>(Collections.nCopies(1 + operands(), new RowShape.Operand("what is not read", 0, none)));
        rows.set(0, result);
        for (Expr.Single single : singles) {
            rows.set(
                    1 + single.index(),
                    new RowShape.Operand(
                            "input " + single.index(), single.type().bytes(), none));
        }
        for (Expr.Input input : inputs) {
            long bytes = input.type().bytes();
            List<Long> apart = strides.stream()
                    .map(stride -> Math.multiplyExact(stride, bytes))
                    .toList();
            rows.set(1 + input.index(), new RowShape.Operand("input " + input.index(), bytes, apart));
        }
        return rows;
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
