package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A mask that is added to scores and whose number of keys is not known to be theirs. Attention would take the keys behind
 * its end for hidden ones, where an Add refuses it. An Expand to the number of keys refuses it, too. Attentions with
 * the same number of keys share the Expand.
 */
final class WholeMask {
    private static final int SINCE = 15;

    private WholeMask() {}

    /** Returns the mask for a number of keys, which is the extent of an axis of {@code source}. */
    static Value of(Value mask, Dim keys, Value source, Node anchor, Patch.Builder patch) {
        Value there = existing(mask, keys, anchor);
        if (there != null) {
            return there;
        }
        int opset = GraphPatterns.opset(anchor, SINCE);
        Value counted = origin(source, keys);
        long axis = axis(counted, keys);
        NodeSpec count = NodeSpec.of(OpId.onnx(OpName.SHAPE), opset, counted)
                .with("start", Attribute.of(axis))
                .with("end", Attribute.of(axis + 1));
        long[] ones = ones(mask);
        Value others = patch.constant(mask.name() + "_ones", Tensor.copyOf(ones, ones.length));
        NodeSpec extents = NodeSpec.of(OpId.onnx(OpName.CONCAT), opset, others, patch.add(count, mask.name() + "_keys"))
                .with("axis", Attribute.of(0L));
        NodeSpec whole =
                NodeSpec.of(OpId.onnx(OpName.EXPAND), opset, mask, patch.add(extents, mask.name() + "_extents"));
        return patch.add(whole, mask.name() + "_whole");
    }

    private static @Nullable Value existing(Value mask, Dim keys, Node anchor) {
        for (Node user : mask.users()) {
            if (user.is(OpName.EXPAND)
                    && user.graph() == anchor.graph()
                    && user.input(0) == mask
                    && widens(user.requireInput(1), mask, keys)
                    && isBefore(user, anchor)) {
                return user.output(0);
            }
        }
        return null;
    }

    /** Whether extents are those that {@link #of} makes for a number of keys. */
    private static boolean widens(Value extents, Value mask, Dim keys) {
        Node joined = GraphPatterns.producer(extents, mask.graph(), OpName.CONCAT);
        Node count = joined == null || joined.inputs().size() != 2
                ? null
                : GraphPatterns.producer(joined.input(1), mask.graph(), OpName.SHAPE);
        long[] ones = joined == null ? null : Constants.longs(joined.input(0));
        if (count == null || ones == null || !Arrays.equals(ones, ones(mask))) {
            return false;
        }
        long axis = axis(count.requireInput(0), keys);
        return axis >= 0
                && count.attributes().integer("start", 0) == axis
                && count.attributes().integer("end", -1) == axis + 1;
    }

    private static long[] ones(Value mask) {
        long[] ones = new long[GraphPatterns.rank(mask) - 1];
        Arrays.fill(ones, 1);
        return ones;
    }

    private static boolean isBefore(Node first, Node second) {
        Node at = first;
        while (at != null && at != second) {
            at = at.next();
        }
        return at != null;
    }

    /** Returns the value furthest up that still has the extent, so that what is made of it is not kept for it. */
    private static Value origin(Value value, Dim keys) {
        Graph graph = value.graph();
        Value at = value;
        while (at.producer() != null && at.producer().graph() == graph) {
            Value before =
                    at.producer().inputs().isEmpty() ? null : at.producer().input(0);
            if (before == null || axis(before, keys) < 0) {
                break;
            }
            at = before;
        }
        return at;
    }

    private static int axis(Value value, Dim extent) {
        SymbolicShape shape = value.shape();
        return shape == null ? -1 : shape.dims().indexOf(extent);
    }
}
