package dev.millrace.graph.quantize;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.quantize.QuantizeOptions.Method;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the nodes whose weights can be quantised, and notes for each other weight why it stays. */
final class Candidates {
    /** The first opset of Gemm whose third operand is broadcast without an attribute. */
    private static final int BROADCASTING_GEMM = 7;

    /** The first opset of DynamicQuantizeLinear. */
    private static final int DYNAMIC_QUANTISATION = 11;

    /** The longest column; a task has several of them in memory. */
    private static final long MOST_ROWS = 1 << 24;

    /** The longest column for which sums of products of bytes are int32. */
    private static final long MOST_ROWS_OF_BYTES = Integer.MAX_VALUE / (255 * 127);

    private final QuantizeOptions options;
    private final NameSelection selection;
    private final Map<Value, String> reasons = new HashMap<>();

    Candidates(QuantizeOptions options) {
        this.options = options;
        this.selection = new NameSelection(options);
    }

    /** The place and the orientation of a weight among a node's operands. */
    private record Role(int input, boolean isColumnMajor, float factor, boolean isTable) {}

    @Nullable
    Candidate find(Node node) {
        Role role = role(node);
        Value operand = role == null ? null : node.input(role.input());
        Value turned = operand == null ? null : transposed(operand);
        Value weight = turned == null ? operand : turned;
        Tensor tensor = weight == null ? null : weight.constant();
        if (role == null || operand == null || weight == null || tensor == null) {
            return null;
        }
        boolean isSelected = selection.selects(node.name(), weight.name());
        boolean isColumnMajor = role.isColumnMajor() != (turned != null);
        String reason = isSelected ? reason(node, tensor, isColumnMajor, role.isTable()) : "it is not selected by name";
        if (reason != null) {
            reasons.put(weight, reason);
            return null;
        }
        var matrix = new WeightMatrix(tensor, isColumnMajor, role.factor());
        return new Candidate(operand, new Candidate.Source(weight, matrix, role.isTable()));
    }

    private @Nullable Role role(Node node) {
        if (node.is(OpName.MATMUL)) {
            return new Role(1, false, 1, false);
        }
        if (node.is(OpName.GEMM)) {
            return new Role(
                    1,
                    node.attributes().flag("transB", false),
                    node.attributes().real("alpha", 1),
                    false);
        }
        boolean isTable = options.embedding()
                && node.is(OpName.GATHER)
                && node.attributes().integer("axis", 0) == 0;
        return isTable ? new Role(0, true, 1, true) : null;
    }

    /** Returns the constant matrix of which {@code operand} is the transpose, or null. */
    private static @Nullable Value transposed(Value operand) {
        Node node = operand.producer();
        if (node == null || !node.is(OpName.TRANSPOSE)) {
            return null;
        }
        Value of = node.requireInput(0);
        Tensor tensor = of.constant();
        long[] order = node.attributes().integers("perm");
        boolean swaps = order == null || Arrays.equals(order, new long[] {1, 0});
        return tensor != null && tensor.shape().rank() == 2 && swaps ? of : null;
    }

    /** Returns the reason for which a weight cannot be quantised, or null. */
    private @Nullable String reason(Node node, Tensor tensor, boolean isColumnMajor, boolean isTable) {
        boolean isDynamic = options.method() == Method.DYNAMIC;
        if (tensor.shape().rank() != 2) {
            return "it has " + tensor.shape().rank() + " dimensions, not two";
        }
        if (tensor.type() != ElementType.FLOAT && tensor.type() != ElementType.FLOAT16) {
            return "its type is " + tensor.type() + ", neither float nor float16";
        }
        if (tensor.elements() < Math.max(1, options.minElements())) {
            return "it has fewer than " + Math.max(1, options.minElements()) + " elements";
        }
        long rows = tensor.shape().dim(isColumnMajor ? 1 : 0);
        long columns = tensor.elements() / rows;
        if (rows > (isDynamic ? MOST_ROWS_OF_BYTES : MOST_ROWS) || columns > Integer.MAX_VALUE) {
            return "its inner dimension of " + rows + " is too long";
        }
        if (isTable && rows * options.bits() % Byte.SIZE != 0) {
            return "its rows do not fill bytes";
        }
        if (node.is(OpName.GEMM) && node.opset() < BROADCASTING_GEMM) {
            return "Gemm of opset " + node.opset() + " reads it; the first that is replaced is that of opset 7";
        }
        return isDynamic && node.opset() < DYNAMIC_QUANTISATION
                ? "opset " + node.opset() + " has no DynamicQuantizeLinear, which opset 11 introduced"
                : null;
    }

    /** Refuses patterns of names that fitted nothing. */
    void requireUsedPatterns() {
        selection.requireUsed();
    }

    /** Notes that a weight stays because no scale represents it. */
    void refuse(Value weight) {
        reasons.put(weight, "it has elements that are not finite, or too large for the type of the scales");
    }

    /** The reason for each weight of a product or a lookup that stays. */
    Map<Value, String> reasons() {
        return reasons;
    }
}
