package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves a Transpose after its readers where that leaves fewer of them: through elementwise nodes up to another
 * Transpose, with which it merges, and out of both operands of a binary node.
 */
final class PushTransposes {
    /** The largest number of elementwise nodes between two Transposes. */
    private static final int REACH = 8;

    private PushTransposes() {}

    /** Merges two Transposes with elementwise nodes between them, each of which only the next one reads. */
    static @Nullable Patch betweenTransposes(Node last, PassContext context) {
        var path = new ArrayList<Node>();
        Value value = last.requireInput(0);
        Node node = null;
        for (int i = 0; i <= REACH; i++) {
            node = GraphPatterns.isInner(value, last.graph(), 1) ? value.producer() : null;
            Value next = node == null || node.graph() != last.graph() ? null : through(node);
            if (next == null) {
                break;
            }
            path.add(node);
            value = next;
        }
        int[] before = node != null && node.graph() == last.graph() && node.is(OpName.TRANSPOSE)
                ? Axes.permutation(node)
                : null;
        int[] after = Axes.permutation(last);
        if (node == null || path.isEmpty() || before == null || after == null || before.length != after.length) {
            return null;
        }
        Patch.Builder patch = context.patch(last, "a Transpose meets another behind elementwise nodes");
        Value moved = node.requireInput(0);
        for (Node step : path.reversed()) {
            NodeSpec spec = untransposed(step, moved, before, patch);
            if (spec == null) {
                return null;
            }
            moved = patch.add(spec, step.requireOutput(0).name());
        }
        int[] both = Axes.compose(before, after);
        Value output = last.requireOutput(0);
        if (Axes.isIdentity(both)) {
            return patch.redirect(output, moved).build();
        }
        NodeSpec rest = NodeSpec.like(last, List.of(moved)).with("perm", Attribute.of(Axes.widened(both)));
        return patch.replace(output, rest).build();
    }

    /**
     * Returns the operand whose order an elementwise node keeps, if the other one is a constant; null for other nodes.
     */
    private static @Nullable Value through(Node node) {
        if (ElementwiseOperators.isUnary(node)) {
            return node.input(0);
        }
        if (!ElementwiseOperators.isBinary(node)) {
            return null;
        }
        Value left = node.requireInput(0);
        Value right = node.requireInput(1);
        Value moving = right.isConstant() ? left : left.isConstant() ? right : null;
        return moving != null && GraphPatterns.sameRank(moving, node.output(0)) ? moving : null;
    }

    /** Returns {@code node} with input {@code moved}, which is its operand before the transposition by {@code perm}. */
    private static @Nullable NodeSpec untransposed(Node node, Value moved, int[] perm, Patch.Builder patch) {
        var inputs = new ArrayList<@Nullable Value>(node.inputs());
        if (ElementwiseOperators.isUnary(node)) {
            inputs.set(0, moved);
            return NodeSpec.like(node, inputs);
        }
        int constant = node.requireInput(1).isConstant() ? 1 : 0;
        Value other = node.requireInput(constant);
        Value turned = untransposed(other, perm, patch);
        if (turned == null) {
            return null;
        }
        inputs.set(constant, turned);
        inputs.set(1 - constant, moved);
        return NodeSpec.like(node, inputs);
    }

    private static @Nullable Value untransposed(Value constant, int[] perm, Patch.Builder patch) {
        Tensor tensor = constant.constant();
        if (tensor == null || tensor.shape().rank() > perm.length) {
            return null;
        }
        if (tensor.elements() == 1) {
            return constant;
        }
        long[] dims = new long[perm.length];
        for (int i = 0; i < dims.length; i++) {
            int from = i - (dims.length - tensor.shape().rank());
            dims[i] = from < 0 ? 1 : tensor.shape().dim(from);
        }
        Tensor turned = ConstantTranspose.of(tensor.reshaped(Shape.of(dims)), Axes.inverse(perm));
        return turned == null ? null : patch.constant(constant.name(), turned);
    }

    /** Replaces the Transposes of both operands of a binary node by one after it. */
    static @Nullable Patch outOfOperands(Node node, PassContext context) {
        Node left = GraphPatterns.inner(node.input(0), node.graph(), OpName.TRANSPOSE);
        Node right = GraphPatterns.inner(node.input(1), node.graph(), OpName.TRANSPOSE);
        int[] perm = left == null ? null : Axes.permutation(left);
        int[] other = right == null ? null : Axes.permutation(right);
        if (left == null
                || right == null
                || perm == null
                || !ElementwiseOperators.isBinary(node)
                || !Arrays.equals(perm, other)) {
            return null;
        }
        Value output = node.requireOutput(0);
        Patch.Builder patch = context.patch(node, "one Transpose for both operands");
        Value result = patch.add(
                NodeSpec.like(node, List.of(left.requireInput(0), right.requireInput(0))), output.name() + "_before");
        NodeSpec transpose = NodeSpec.of(OpId.onnx(OpName.TRANSPOSE), left.opset(), result)
                .named(left.name())
                .with("perm", Attribute.of(Axes.widened(perm)));
        return patch.replace(output, transpose).build();
    }
}
