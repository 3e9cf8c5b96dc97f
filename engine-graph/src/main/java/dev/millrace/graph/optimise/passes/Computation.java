package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A node as one that computes the same as others. Attributes are looked at only where two nodes of one operator read the
 * same, or constants.
 */
final class Computation {
    private final Node node;
    private final List<? extends @Nullable Object> operands;
    private final int hash;

    /** @param operands what stands for the inputs of the node: equal where these are */
    Computation(Node node, List<? extends @Nullable Object> operands) {
        this.node = node;
        this.operands = operands;
        int sum = 31 * node.op().hashCode() + operands.hashCode();
        // Where nothing but constants is read, their attributes are often all that tells nodes apart.
        hash = isOfConstants(operands) ? 31 * sum + contents().hashCode() : sum;
    }

    private static boolean isOfConstants(List<? extends @Nullable Object> operands) {
        for (Object operand : operands) {
            if (operand != null && !(operand instanceof TensorKey)) {
                return false;
            }
        }
        return true;
    }

    private Map<String, Object> contents() {
        var contents = new HashMap<String, Object>();
        node.attributes()
                .asMap()
                .forEach((name, attribute) -> contents.put(
                        name,
                        attribute instanceof Attribute.TensorValue tensor ? new TensorKey(tensor.value()) : attribute));
        return contents;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Computation same
                && hash == same.hash
                && node.op().equals(same.node.op())
                && node.opset() == same.node.opset()
                && node.overload().equals(same.node.overload())
                && operands.equals(same.operands)
                && contents().equals(same.contents());
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
