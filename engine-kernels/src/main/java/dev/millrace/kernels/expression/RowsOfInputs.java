package dev.millrace.kernels.expression;

import dev.millrace.kernels.rows.RowShape;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of an output and of the inputs of an expression, chosen such that each input is either contiguous along a
 * row or broadcast.
 */
final class RowsOfInputs {
    private RowsOfInputs() {}

    /** @throws IllegalArgumentException if the strides do not match the expression or the extents */
    static RowShape of(Expr expression, DataType out, List<Long> extents, List<List<Long>> strides) {
        ExprInputs inputs = ExprInputs.of(expression);
        if (!inputs.singles().isEmpty() || inputs.inputs().size() != strides.size()) {
            throw new IllegalArgumentException("strides of " + strides.size() + " inputs are given, but the expression"
                    + " reads " + inputs.inputs().size() + " inputs and "
                    + inputs.singles().size() + " singles");
        }
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < strides.size(); i++) {
            bytes.add((long) typeOf(inputs, i).bytes());
        }
        return of(out.bytes(), extents, bytes, strides);
    }

    /** @param bytes the size of an element of each input */
    static RowShape of(long outBytes, List<Long> extents, List<Long> bytes, List<List<Long>> strides) {
        List<RowShape.Operand> operands = new ArrayList<>();
        operands.add(new RowShape.Operand("the output", outBytes, dense(extents, outBytes)));
        for (int i = 0; i < strides.size(); i++) {
            long each = bytes.get(i);
            operands.add(new RowShape.Operand(
                    "input " + i,
                    each,
                    strides.get(i).stream().map(stride -> stride * each).toList()));
        }
        RowShape shape = new RowShape(atLeastOne(extents), withDimension(operands, extents), true);
        return goesAlong(shape.coalesced()) ? shape : new RowShape(plus(extents, 1L), ofOne(operands), false);
    }

    private static DataType typeOf(ExprInputs inputs, int index) {
        for (Expr.Input input : inputs.inputs()) {
            if (input.index() == index) {
                return input.type();
            }
        }
        throw new IllegalArgumentException("the expression does not read input " + index);
    }

    static List<Long> dense(List<Long> extents, long bytes) {
        List<Long> strides = new ArrayList<>();
        long stride = bytes;
        for (long extent : extents.reversed()) {
            strides.addFirst(stride);
            stride = Math.multiplyExact(stride, Math.max(1, extent));
        }
        return strides;
    }

    private static List<Long> atLeastOne(List<Long> extents) {
        return extents.isEmpty() ? List.of(1L) : extents;
    }

    private static List<RowShape.Operand> withDimension(List<RowShape.Operand> operands, List<Long> extents) {
        return extents.isEmpty() ? ofOne(operands) : operands;
    }

    /** Whether all strides along a row are that of contiguous elements, or 0. */
    private static boolean goesAlong(RowShape shape) {
        for (RowShape.Operand operand : shape.operands()) {
            long along = operand.strides().getLast();
            if (along != 0 && along != operand.elementBytes()) {
                return false;
            }
        }
        return true;
    }

    private static List<Long> plus(List<Long> list, long last) {
        List<Long> longer = new ArrayList<>(list);
        longer.add(last);
        return longer;
    }

    /** Returns operands whose rows have one element. */
    private static List<RowShape.Operand> ofOne(List<RowShape.Operand> operands) {
        List<RowShape.Operand> result = new ArrayList<>();
        for (RowShape.Operand operand : operands) {
            result.add(new RowShape.Operand(
                    operand.name(), operand.elementBytes(), plus(operand.strides(), operand.elementBytes())));
        }
        return result;
    }

    static Expr singlesWhereRepeated(Expr expression, RowShape shape) {
        return switch (expression) {
            case Expr.Input(int index, DataType type)
            when shape.operands().get(1 + index).strides().getLast() == 0 -> new Expr.Single(index, type);
            case Expr.Apply(FloatFunction function, Expr argument) ->
                new Expr.Apply(function, singlesWhereRepeated(argument, shape));
            case Expr.Convert(Kind kind, Expr argument) ->
                new Expr.Convert(kind, singlesWhereRepeated(argument, shape));
            case Expr.Combine(Operator operator, Expr left, Expr right) ->
                new Expr.Combine(operator, singlesWhereRepeated(left, shape), singlesWhereRepeated(right, shape));
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) ->
                new Expr.Choose(
                        singlesWhereRepeated(condition, shape),
                        singlesWhereRepeated(then, shape),
                        singlesWhereRepeated(otherwise, shape));
            case Expr.Input _, Expr.Single _, Expr.Literal _ -> expression;
        };
    }
}
