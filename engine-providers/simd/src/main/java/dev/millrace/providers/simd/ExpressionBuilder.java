package dev.millrace.providers.simd;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects arithmetic, each operation with a number of its own as if there were registers without end, and gives out
 * the few that there are when all is known.
 */
final class ExpressionBuilder {
    private record Operation(Op op, int a, int b, float p, float q) {}

    private final List<Source> operands = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private final List<Integer> loads = new ArrayList<>();

    /** The number of a value read from outside; it is read once. */
    int load(Source source) {
        int operand = operands.indexOf(source);
        if (operand < 0) {
            operand = operands.size();
            operands.add(source);
            loads.add(add(new Operation(Op.LOAD, operand, 0, 0, 0)));
        }
        return loads.get(operand);
    }

    int unary(Op op, int a) {
        return unary(op, a, 0, 0);
    }

    int unary(Op op, int a, float p) {
        return unary(op, a, p, 0);
    }

    int unary(Op op, int a, float p, float q) {
        return add(new Operation(op, a, 0, p, q));
    }

    int binary(Op op, int a, int b) {
        return add(new Operation(op, a, b, 0, 0));
    }

    private int add(Operation operation) {
        operations.add(operation);
        return operations.size() - 1;
    }

    /** Whether nothing is done to what is read. */
    boolean isEmpty() {
        return operations.size() == loads.size();
    }

    /** The expression whose result was computed last, or null where it needs more registers than there are. */
    @Nullable
    Expression build(int mostRegisters) {
        int[] lastUse = lastUses();
        int[] register = new int[operations.size()];
        int[] heldBy = new int[mostRegisters];
        Arrays.fill(heldBy, -1);
        int used = 0;
        var steps = new ArrayList<Expression.Step>();
        for (int i = 0; i < register.length; i++) {
            Operation operation = operations.get(i);
            int target = 0;
            while (target < mostRegisters && heldBy[target] >= 0 && lastUse[heldBy[target]] >= i) {
                target++;
            }
            if (target == mostRegisters) {
                return null;
            }
            register[i] = target;
            heldBy[target] = i;
            used = Math.max(used, target + 1);
            int arity = operation.op().arity();
            steps.add(new Expression.Step(
                    operation.op(),
                    target,
                    arity == 0 ? operation.a() : register[operation.a()],
                    arity == 2 ? register[operation.b()] : 0,
                    operation.p(),
                    operation.q()));
        }
        return new Expression(operands, steps, used);
    }

    private int[] lastUses() {
        int[] last = new int[operations.size()];
        for (int i = 0; i < last.length; i++) {
            last[i] = i;
            Operation operation = operations.get(i);
            if (operation.op().arity() > 0) {
                last[operation.a()] = i;
            }
            if (operation.op().arity() > 1) {
                last[operation.b()] = i;
            }
        }
        return last;
    }
}
