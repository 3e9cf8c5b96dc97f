package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/** The constant interval to which a Clip or Relu limits its input; infinite where it is open. */
record Bounds(double low, double high) {
    /** The first opset in which the limits are inputs. */
    private static final int SINCE = 11;

    /**
     * Returns the bounds of {@code node}; null where it is neither a Clip nor a Relu, or its limits are not constants.
     */
    static @Nullable Bounds of(@Nullable Node node) {
        if (node == null || !node.op().domain().isEmpty()) {
            return null;
        }
        if (Schemas.has(node.op(), Trait.AT_LEAST_ZERO)) {
            return new Bounds(0, Double.POSITIVE_INFINITY);
        }
        if (!node.is(OpName.CLIP)) {
            return null;
        }
        return node.opset() < SINCE ? ofAttributes(node) : ofInputs(node);
    }

    private static Bounds ofAttributes(Node clip) {
        float low = clip.attributes().real("min", -Float.MAX_VALUE);
        float high = clip.attributes().real("max", Float.MAX_VALUE);
        return new Bounds(
                low == -Float.MAX_VALUE ? Double.NEGATIVE_INFINITY : low,
                high == Float.MAX_VALUE ? Double.POSITIVE_INFINITY : high);
    }

    private static @Nullable Bounds ofInputs(Node clip) {
        double low = clip.input(1) == null ? Double.NEGATIVE_INFINITY : Constants.scalar(clip.input(1));
        double high = clip.input(2) == null ? Double.POSITIVE_INFINITY : Constants.scalar(clip.input(2));
        return Double.isNaN(low) || Double.isNaN(high) ? null : new Bounds(low, high);
    }

    /**
     * Returns the intersection of two intervals that apply in turn; null where it is empty, which makes the result a
     * constant.
     */
    @Nullable
    Bounds and(Bounds other) {
        var both = new Bounds(Math.max(low, other.low), Math.min(high, other.high));
        return both.low <= both.high ? both : null;
    }

    /**
     * Returns a Relu or Clip that limits {@code x}, of the real type {@code type}, to these bounds, in place of {@code
     * node}.
     */
    NodeSpec spec(Node node, Value x, ElementType type, Patch.Builder patch) {
        int opset = GraphPatterns.opset(node, SINCE);
        if (low == 0 && high == Double.POSITIVE_INFINITY) {
            return NodeSpec.of(OpId.RELU, opset, x);
        }
        return NodeSpec.of(OpId.onnx(OpName.CLIP), opset, x, limit(low, type, patch), limit(high, type, patch));
    }

    private static @Nullable Value limit(double bound, ElementType type, Patch.Builder patch) {
        return Double.isInfinite(bound) ? null : patch.constant("limit", Constants.scalarOf(type, bound));
    }
}
