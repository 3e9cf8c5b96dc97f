package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values that are fused with one that is wanted in memory, and the inputs that they are computed from. */
final class Region {
    private final ValueState result;
    private final Set<ValueState> members = new HashSet<>();
    private final Set<ValueState> inputs = new LinkedHashSet<>();
    private @Nullable ValueState root;

    private Region(ValueState result) {
        this.result = result;
    }

    /** Returns the region of values that no value outside it reads. */
    static Region of(ValueState result, boolean withAnchor) {
        return collect(result, withAnchor, false);
    }

    /** Returns the largest region that is possible once all readers are known. */
    static Region atMost(ValueState result) {
        return collect(result, true, true);
    }

    private static Region collect(ValueState result, boolean withAnchor, boolean optimistic) {
        var region = new Region(result);
        var open = new PriorityQueue<ValueState>(Region::later);
        Map<ValueState, Integer> reads = new HashMap<>();
        region.enter(result, open, reads);
        while (!open.isEmpty()) {
            ValueState cell = open.remove();
            boolean whole = optimistic || reads.getOrDefault(cell, 0) == cell.readers;
            if (cell.isInMemory()
                    || cell.pending == null
                    || !whole
                    || !cell.shape().equals(result.shape())) {
                region.addInput(cell);
            } else if (cell.pending instanceof DeferredElementwise) {
                region.enter(cell, open, reads);
            } else if (withAnchor && region.root == null) {
                region.root = cell;
            } else {
                region.addInput(cell);
            }
        }
        return region;
    }

    private static int later(ValueState one, ValueState other) {
        return Long.compare(other.order(), one.order());
    }

    private void enter(ValueState cell, PriorityQueue<ValueState> open, Map<ValueState, Integer> reads) {
        members.add(cell);
        if (cell.pending instanceof DeferredElementwise(Formula _, List<ValueState> operands)) {
            for (ValueState operand : operands) {
                if (reads.merge(operand, 1, Integer::sum) == 1) {
                    open.add(operand);
                }
            }
        }
    }

    private void addInput(ValueState cell) {
        if (literal(cell) == null) {
            inputs.add(cell);
        }
    }

    /** The values that are read from memory, in the order of the expression's inputs. */
    List<ValueState> inputs() {
        return new ArrayList<>(inputs);
    }

    int size() {
        return members.size();
    }

    @Nullable
    ValueState root() {
        return root;
    }

    /** The two values of the result's shape whose sum it is, or null where it is anything else. */
    @Nullable
    List<ValueState> addends() {
        boolean two = root == null && members.size() == 1 && inputs.size() == 2;
        for (ValueState input : inputs) {
            two &= input.isFloat() && input.shape().equals(result.shape());
        }
        if (!two) {
            return null;
        }
        Expr expression = expression();
        Expr first = Expr.input(0);
        Expr second = Expr.input(1);
        boolean isSum = expression.equals(first.plus(second)) || expression.equals(second.plus(first));
        return isSum ? inputs() : null;
    }

    /** Returns the expression of the result. The fusion root is input 0, if there is one. */
    Expr expression() {
        Map<ValueState, Expr> made = new HashMap<>();
        int next = 0;
        if (root != null) {
            made.put(root, Expr.input(next++, DataTypes.of(root.type())));
        }
        for (ValueState input : inputs) {
            made.put(input, Expr.input(next++, DataTypes.of(input.type())));
        }
        return expression(result, made);
    }

    private Expr expression(ValueState cell, Map<ValueState, Expr> made) {
        Expr known = made.get(cell);
        if (known != null) {
            return known;
        }
        Expr literal = members.contains(cell) ? null : literal(cell);
        Expr expression;
        if (literal != null) {
            expression = literal;
        } else if (cell.pending instanceof DeferredElementwise(Formula formula, List<ValueState> operands)) {
            var parts = new ArrayList<Expr>();
            for (ValueState operand : operands) {
                parts.add(expression(operand, made));
            }
            Expr computed = formula.of(parts);
            expression = cell == result ? computed : stored(cell, computed);
        } else {
            throw new IllegalStateException(cell.name() + " is no part of an expression");
        }
        made.put(cell, expression);
        return expression;
    }

    /** Returns the value as if it were written to memory and read again: 16-bit floats are rounded to their type. */
    private static Expr stored(ValueState cell, Expr computed) {
        return switch (cell.type()) {
            case FLOAT16 -> computed.apply(FloatFunction.AS_F16);
            case BFLOAT16 -> computed.apply(FloatFunction.AS_BF16);
            default -> computed;
        };
    }

    /** Returns the literal of a cell that is a single constant number; null for others. */
    private static @Nullable Expr literal(ValueState cell) {
        Tensor tensor = cell.known();
        if (tensor == null || tensor.elements() != 1) {
            return null;
        }
        return switch (cell.type()) {
            case FLOAT, FLOAT16, BFLOAT16 -> Expr.number((float) tensor.doubles()[0]);
            case INT32 -> Expr.integer(tensor.ints()[0]);
            case BOOL -> Expr.truth(tensor.booleans()[0]);
            default -> null;
        };
    }
}
