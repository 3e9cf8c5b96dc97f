package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Adding or subtracting nothing, multiplying or dividing by one, the first power: the other operand is the result. */
final class RemoveNeutralArithmetic {
    private static final Map<String, Integer> NEUTRAL =
            Map.of(OpName.ADD, 0, OpName.SUB, 0, OpName.MUL, 1, OpName.DIV, 1, OpName.POW, 1);
    private static final Set<String> COMMUTATIVE = Set.of(OpName.ADD, OpName.MUL);

    static final Set<String> OPERATORS = NEUTRAL.keySet();

    private RemoveNeutralArithmetic() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Integer neutral = NEUTRAL.get(node.op().name());
        Value left = node.input(0);
        Value right = node.input(1);
        if (neutral == null || node.opset() < 7 || left == null || right == null) {
            return null;
        }
        if (keeps(left, right, neutral)) {
            return passBy(node, left, context);
        }
        boolean turned = COMMUTATIVE.contains(node.op().name()) && keeps(right, left, neutral);
        return turned ? passBy(node, right, context) : null;
    }

    private static @Nullable Patch passBy(Node node, Value kept, PassContext context) {
        Value output = node.requireOutput(0);
        if (!output.isUsed() || !GraphPatterns.canStandFor(output, kept)) {
            return null;
        }
        return context.patch(node, node.op() + " by its neutral element")
                .redirect(output, kept)
                .build();
    }

    private static boolean keeps(Value value, Value operand, int neutral) {
        Tensor constant = operand.constant();
        SymbolicShape shape = value.shape();
        return constant != null
                && shape != null
                && !value.isConstant()
                && spreadsOver(constant.shape(), shape)
                && Constants.isUniform(constant, neutral);
    }

    /** Whether broadcasting {@code small} against {@code shape} gives {@code shape}. */
    private static boolean spreadsOver(Shape small, SymbolicShape shape) {
        for (int i = 1; i <= small.rank(); i++) {
            long extent = small.dim(small.rank() - i);
            Dim against = i <= shape.rank() ? shape.dim(shape.rank() - i) : Dim.UNKNOWN;
            if (i > shape.rank() || extent != 1 && !against.is(extent)) {
                return false;
            }
        }
        return true;
    }
}
