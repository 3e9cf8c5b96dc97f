package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;

/** ONNX's own operators that treat each element alone. */
final class ElementwiseOperators {
    /** The opset at which binary ones began to broadcast as numpy does. */
    private static final int BROADCASTS = 7;

    private ElementwiseOperators() {}

    /** Whether the output has the shape of the first input. */
    static boolean isUnary(Node node) {
        return node.op().domain().isEmpty() && Schemas.has(node.op(), Trait.UNARY);
    }

    static boolean isBinary(Node node) {
        return node.op().domain().isEmpty()
                && node.opset() >= BROADCASTS
                && node.inputs().size() == 2
                && Schemas.has(node.op(), Trait.BINARY);
    }
}
