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
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Folds Shape and Size to constants where the shape is known, and Gather and Slice of a Shape where the extents that
 * they take are known.
 */
final class FoldShapes {
    private interface Rule {
        @Nullable
        Tensor known(Node node);
    }

    private static final Map<String, Rule> RULES = Map.of(
            OpName.SHAPE, FoldShapes::wholeShape,
            OpName.SIZE, FoldShapes::size,
            OpName.GATHER, FoldShapes::gathered,
            OpName.SLICE, FoldShapes::sliced);

    static final Set<String> OPERATORS = RULES.keySet();

    private FoldShapes() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Rule rule = RULES.get(node.op().name());
        Value output = node.output(0);
        if (rule == null || output == null || !output.isUsed()) {
            return null;
        }
        Tensor known = rule.known(node);
        if (known != null) {
            Patch.Builder patch = context.patch(node, node.op() + " of extents that are known");
            return patch.redirect(output, patch.constant(output.name(), known)).build();
        }
        return node.is(OpName.SHAPE) ? lookThrough(node, context) : null;
    }

    /**
     * Reads the shape of an elementwise result from its operand, which has the same shape, so that the result can be
     * fused.
     */
    private static @Nullable Patch lookThrough(Node shape, PassContext context) {
        Value input = shape.requireInput(0);
        Node producer = input.producer();
        if (producer == null || producer.graph() != shape.graph() || !ElementwiseOperators.isUnary(producer)) {
            return null;
        }
        return context.patch(shape, "an elementwise result has its operand's shape")
                .setInput(shape, 0, producer.input(0))
                .build();
    }

    private static @Nullable Tensor wholeShape(Node node) {
        List<Dim> dims = extents(node);
        return dims == null ? null : constant(dims);
    }

    private static @Nullable Tensor size(Node node) {
        SymbolicShape shape = node.requireInput(0).shape();
        Shape known = shape == null ? null : shape.toShape();
        return known == null ? null : Tensor.scalar(known.elements());
    }

    private static @Nullable Tensor gathered(Node node) {
        List<Dim> dims = extentsOf(node);
        Value index = node.input(1);
        long[] indices = Constants.longs(index);
        Tensor constant = index == null ? null : index.constant();
        if (dims == null || indices == null || constant == null) {
            return null;
        }
        long[] taken = new long[indices.length];
        for (int i = 0; i < taken.length; i++) {
            long at = indices[i] < 0 ? indices[i] + dims.size() : indices[i];
            if (at < 0 || at >= dims.size() || !(dims.get((int) at) instanceof Dim.Known known)) {
                return null;
            }
            taken[i] = known.extent();
        }
        return Tensor.copyOf(taken, constant.shape().toArray());
    }

    private static @Nullable Tensor sliced(Node node) {
        List<Dim> dims = extentsOf(node);
        boolean attributes = node.opset() < 10;
        long[] starts = attributes ? node.attributes().integers("starts") : Constants.longs(node.input(1));
        long[] ends = attributes ? node.attributes().integers("ends") : Constants.longs(node.input(2));
        long[] steps = Constants.longs(node.input(4));
        boolean oneStep = node.input(4) == null || steps != null && steps.length == 1 && steps[0] == 1;
        if (dims == null || starts == null || ends == null || starts.length != 1 || ends.length != 1 || !oneStep) {
            return null;
        }
        int from = clamp(starts[0], dims.size());
        int to = clamp(ends[0], dims.size());
        return constant(dims.subList(from, Math.max(from, to)));
    }

    /** Returns the extents in the first input where it is the output of a Shape node, else null. */
    private static @Nullable List<Dim> extentsOf(Node node) {
        Node shape = GraphPatterns.producer(node.input(0), node.graph(), OpName.SHAPE);
        return shape == null ? null : extents(shape);
    }

    private static @Nullable List<Dim> extents(Node shapeNode) {
        SymbolicShape shape = shapeNode.requireInput(0).shape();
        if (shape == null) {
            return null;
        }
        int from = clamp(shapeNode.attributes().integer("start", 0), shape.rank());
        int to = clamp(shapeNode.attributes().integer("end", shape.rank()), shape.rank());
        return shape.dims().subList(from, Math.max(from, to));
    }

    private static int clamp(long index, int size) {
        return (int) Math.clamp(index < 0 ? index + size : index, 0, size);
    }

    private static @Nullable Tensor constant(List<Dim> dims) {
        long[] extents = new long[dims.size()];
        for (int i = 0; i < extents.length; i++) {
            if (!(dims.get(i) instanceof Dim.Known known)) {
                return null;
            }
            extents[i] = known.extent();
        }
        return Tensor.copyOf(extents, extents.length);
    }
}
