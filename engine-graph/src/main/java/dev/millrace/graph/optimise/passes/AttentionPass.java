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
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Shape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Fuses {@code softmax(Q · Kᵀ * scale + mask) · V} with one K and V head for each head of Q into Attention. The scale
 * may be applied to Q, to Kᵀ or to their product.
 */
final class AttentionPass {
    private static final int SINCE = 23;

    private AttentionPass() {}

    /** The input of the softmax: a product of matrices, a scale and a mask. */
    private record Scores(
            Node product, double scale, @Nullable Value mask) {}

    static @Nullable Patch at(Node node, PassContext context) {
        Graph graph = node.graph();
        Node softmax = GraphPatterns.inner(node.input(0), graph, OpName.SOFTMAX);
        Value v = node.requireInput(1);
        Scores scores = softmax == null || !isOverLastAxis(softmax) ? null : scores(softmax.input(0), graph);
        if (scores == null) {
            return null;
        }
        ScaledProduct query = ScaledProduct.of(scores.product().requireInput(0), graph);
        ScaledProduct key = ScaledProduct.of(scores.product().requireInput(1), graph);
        double scale = scores.scale() * query.coefficient() * key.coefficient();
        if (query.factors().size() != 1 || key.factors().size() != 1 || !(scale > 0)) {
            return null;
        }
        Value q = query.factors().getFirst();
        Value keyTransposed = key.factors().getFirst();
        Node transpose = GraphPatterns.producer(keyTransposed, graph, OpName.TRANSPOSE);
        int[] perm = transpose == null ? null : Axes.permutation(transpose);
        if (transpose == null || perm == null || perm.length != 4 || !fit(q, keyTransposed, v, scores.mask())) {
            return null;
        }
        Dim keys = extent(keyTransposed, 3);
        Value mask = scores.mask();
        boolean isWhole = mask == null || GraphPatterns.same(last(mask), keys);
        if (!isWhole && !GraphPatterns.same(keys, extent(v, 2))) {
            return null;
        }
        Patch.Builder patch = context.patch(node, "the parts of an Attention");
        Value k = untransposed(transpose, perm, patch);
        if (mask != null && !isWhole) {
            mask = WholeMask.of(mask, keys, v, node, patch);
        }
        int opset = GraphPatterns.opset(node, SINCE);
        NodeSpec spec = (mask == null
                        ? NodeSpec.of(OpId.onnx(OpName.ATTENTION), opset, q, k, v)
                        : NodeSpec.of(OpId.onnx(OpName.ATTENTION), opset, q, k, v, mask))
                .named(node.name())
                .with("scale", Attribute.of((float) scale));
        return patch.replace(node.requireOutput(0), spec).build();
    }

    private static boolean isOverLastAxis(Node softmax) {
        int rank = GraphPatterns.rank(softmax.input(0));
        long axis = softmax.attributes().integer("axis", softmax.opset() < 13 ? 1 : -1);
        return rank == 4 && axis >= -4 && axis < 4 && Shape.axis(axis, rank) == rank - 1;
    }

    private static @Nullable Scores scores(@Nullable Value value, Graph graph) {
        if (value == null || !GraphPatterns.isInner(value, graph, 1)) {
            return null;
        }
        Scores plain = scaled(value, null, graph);
        Node add = GraphPatterns.innerArithmetic(value, graph, OpName.ADD);
        if (plain != null || add == null) {
            return plain;
        }
        for (Value operand : add.inputs()) {
            Value mask = operand == null ? null : GraphPatterns.other(add, operand);
            if (operand == null || mask == null || mask == operand) {
                continue;
            }
            Scores masked = scaled(operand, mask, graph);
            if (masked != null && fitsMask(mask, operand)) {
                return masked;
            }
        }
        return null;
    }

    private static @Nullable Scores scaled(Value value, @Nullable Value mask, Graph graph) {
        ScaledProduct product = ScaledProduct.of(value, graph);
        Value factor = product.factors().size() == 1 ? product.factors().getFirst() : null;
        Node matrices = GraphPatterns.inner(factor, graph, OpName.MATMUL);
        return matrices == null || !GraphPatterns.sameRank(factor, value)
                ? null
                : new Scores(matrices, product.coefficient(), mask);
    }

    private static Dim extent(Value value, int axis) {
        SymbolicShape shape = value.shape();
        return shape == null ? Dim.UNKNOWN : shape.dim(axis);
    }

    private static Dim last(Value value) {
        return extent(value, GraphPatterns.rank(value) - 1);
    }

    /** Whether adding {@code mask} keeps the shape of {@code scores}, as far as all axes but the last tell. */
    private static boolean fitsMask(Value mask, Value scores) {
        SymbolicShape small = mask.shape();
        SymbolicShape shape = scores.shape();
        if (small == null || shape == null || small.rank() < 2 || small.rank() > shape.rank()) {
            return false;
        }
        for (int i = 2; i <= small.rank(); i++) {
            Dim dim = small.dim(small.rank() - i);
            if (!dim.is(1) && !GraphPatterns.same(dim, shape.dim(shape.rank() - i))) {
                return false;
            }
        }
        return GraphPatterns.sameElements(mask, scores);
    }

    /**
     * Whether these have rank 4, one real type, and the same batch and number of heads, which is not 0, without
     * broadcasting.
     */
    private static boolean fit(Value q, Value keyTransposed, Value v, @Nullable Value mask) {
        boolean typed = GraphPatterns.isReal(q)
                && GraphPatterns.sameElements(q, keyTransposed)
                && GraphPatterns.sameElements(q, v);
        if (!typed
                || GraphPatterns.rank(q) != 4
                || GraphPatterns.rank(keyTransposed) != 4
                || GraphPatterns.rank(v) != 4) {
            return false;
        }
        if (q.shape() == null || q.shape().dim(1).is(0)) {
            return false;
        }
        for (int axis = 0; axis < 2; axis++) {
            if (!sameExtent(q, keyTransposed, axis) || !sameExtent(q, v, axis)) {
                return false;
            }
        }
        return mask == null || GraphPatterns.sameElements(q, mask);
    }

    private static boolean sameExtent(Value a, Value b, int axis) {
        SymbolicShape x = a.shape();
        SymbolicShape y = b.shape();
        return x != null && y != null && GraphPatterns.same(x.dim(axis), y.dim(axis));
    }

    /** Returns K before its last two axes were exchanged; other permutations stay. */
    private static Value untransposed(Node transpose, int[] perm, Patch.Builder patch) {
        int[] rest = {perm[0], perm[1], perm[3], perm[2]};
        if (Axes.isIdentity(rest)) {
            return transpose.requireInput(0);
        }
        Value old = transpose.requireOutput(0);
        NodeSpec spec = NodeSpec.like(transpose, Arrays.asList(transpose.input(0)))
                .with("perm", Attribute.of(Axes.widened(rest)));
        return patch.add(spec, old.name());
    }
}
