package dev.millrace.graph.op;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import org.jspecify.annotations.Nullable;

/** The operators that an engine's providers add. */
@FunctionalInterface
public interface CustomOperators {
    CustomOperators NONE = (op, opset) -> null;

    /** Returns the newest form of an operator that is not newer than {@code opset}; null if there is none. */
    @Nullable
    CustomOperator find(OpId op, int opset);

    /** Returns the operator of a node; null if it is none of these. */
    default @Nullable CustomOperator of(Node node) {
        return find(node.op(), node.opset());
    }
}
