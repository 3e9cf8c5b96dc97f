package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import org.jspecify.annotations.Nullable;

/**
 * The engine's operator {@code dev.millrace.Linear}: {@code activation(X · W + bias)} with X of rank 2 or more, W a
 * constant of two axes and the bias, which may be left out, a constant of one.
 */
final class Linear {
    static final OpId OP = new OpId(OpId.MILLRACE, OpName.LINEAR);
    static final String ACTIVATION = "activation";
    private static final int VERSION = 1;

    private Linear() {}

    static NodeSpec spec(Value x, Value weights, @Nullable Value bias) {
        return bias == null ? NodeSpec.of(OP, VERSION, x, weights) : NodeSpec.of(OP, VERSION, x, weights, bias);
    }

    /** The Linear without an activation that makes {@code value} for one reader; null where something else does. */
    static @Nullable Node behind(@Nullable Value value, Node reader) {
        Node node = value == null ? null : value.producer();
        return value != null
                        && node != null
                        && node.op().equals(OP)
                        && node.graph() == reader.graph()
                        && !node.attributes().has(ACTIVATION)
                        && GraphPatterns.isInner(value, reader.graph(), 1)
                ? node
                : null;
    }
}
