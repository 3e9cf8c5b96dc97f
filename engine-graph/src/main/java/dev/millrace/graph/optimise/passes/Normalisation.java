package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/** Matchers for the parts of LayerNormalization and RMSNormalization that are written with simpler operators. */
final class Normalisation {
    private Normalisation() {}

    /**
     * A match of {@code centred / sqrt(mean(centred²) + epsilon)}, the mean over the last {@code axes} axes; its nodes
     * read {@code centred} in all {@code reads} times.
     */
    record Normalised(Value centred, int axes, float epsilon, int reads) {}

    /** A match of {@code value * scale + bias}; the bias may be missing. */
    record Affine(Node last, Value scale, @Nullable Value bias) {}

    /** Matches the division or multiplication {@code node} as a normalisation; null where it is none. */
    static @Nullable Normalised normalised(Node node) {
        Graph graph = node.graph();
        if (GraphPatterns.isArithmetic(node, OpName.DIV)) {
            return ofDeviation(node.input(0), node.input(1), graph);
        }
        if (!GraphPatterns.isArithmetic(node, OpName.MUL)) {
            return null;
        }
        for (Value operand : node.inputs()) {
            Value other = operand == null ? null : GraphPatterns.other(node, operand);
            Value deviation = other == operand ? null : inverted(operand, graph);
            Normalised found = deviation == null ? null : ofDeviation(other, deviation, graph);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Returns x where {@code value} is 1 / x; null where it is not. */
    private static @Nullable Value inverted(@Nullable Value value, Graph graph) {
        Node reciprocal = GraphPatterns.inner(value, graph, "Reciprocal");
        if (reciprocal != null) {
            return reciprocal.input(0);
        }
        Node division = GraphPatterns.innerArithmetic(value, graph, OpName.DIV);
        return division != null && Constants.isScalar(division.input(0), 1) ? division.input(1) : null;
    }

    private static @Nullable Normalised ofDeviation(@Nullable Value centred, @Nullable Value deviation, Graph graph) {
        Node root = GraphPatterns.inner(deviation, graph, OpName.SQRT);
        Node sum = root == null ? null : GraphPatterns.innerArithmetic(root.input(0), graph, OpName.ADD);
        if (centred == null || sum == null) {
            return null;
        }
        for (Value operand : sum.inputs()) {
            Node mean = GraphPatterns.inner(operand, graph, OpName.REDUCE_MEAN);
            double epsilon = operand == null ? Double.NaN : Constants.scalar(GraphPatterns.other(sum, operand));
            int axes = mean == null ? 0 : lastAxes(mean);
            int reads = mean == null ? 0 : readsOfSquare(mean.input(0), centred, graph);
            if (axes > 0 && !Double.isNaN(epsilon) && reads > 0) {
                return new Normalised(centred, axes, (float) epsilon, reads + 1);
            }
        }
        return null;
    }

    /** Returns how often the node that produces {@code square} reads {@code of} if it squares it, else 0. */
    private static int readsOfSquare(@Nullable Value square, Value of, Graph graph) {
        Node node = square != null && GraphPatterns.isInner(square, graph, 1) ? square.producer() : null;
        ScaledProduct product = ScaledProduct.of(node);
        return node != null && product != null && product.is(1, of, of) ? Collections.frequency(node.inputs(), of) : 0;
    }

    /** Returns the number of axes of a ReduceMean that keeps its rank, if they are the last ones, else 0. */
    static int lastAxes(Node mean) {
        int rank = GraphPatterns.rank(mean.input(0));
        int[] axes = Axes.reduced(mean, rank);
        boolean keeps = mean.attributes().isOne("keepdims", true);
        return keeps && axes != null && Axes.areLast(axes, rank) ? axes.length : 0;
    }

    /**
     * Matches the scale, and the bias if there is one, that are applied to {@code normalised} over its last {@code
     * axes}.
     */
    static @Nullable Affine affine(Value normalised, int axes, boolean withBias) {
        Node scaling = GraphPatterns.onlyReader(normalised, OpName.MUL);
        Value scale = scaling == null ? null : GraphPatterns.other(scaling, normalised);
        if (scaling == null || scale == null || !covers(scale, normalised, axes)) {
            return null;
        }
        Value scaled = scaling.requireOutput(0);
        Node shift = withBias ? GraphPatterns.onlyReader(scaled, OpName.ADD) : null;
        Value bias = shift == null ? null : GraphPatterns.other(shift, scaled);
        return shift != null && bias != null && covers(bias, normalised, axes)
                ? new Affine(shift, scale, bias)
                : new Affine(scaling, scale, null);
    }

    /** Whether the shape of {@code parameter} is exactly the known last extents of {@code value}. */
    private static boolean covers(Value parameter, Value value, int axes) {
        SymbolicShape small = parameter.shape();
        SymbolicShape shape = value.shape();
        if (small == null || shape == null || small.rank() != axes || shape.rank() < axes) {
            return false;
        }
        for (int i = 1; i <= axes; i++) {
            Dim dim = shape.dim(shape.rank() - i);
            if (!dim.isKnown() || !dim.equals(small.dim(axes - i))) {
                return false;
            }
        }
        return GraphPatterns.sameElements(parameter, value);
    }

    /** Whether a normalisation in single precision is precise enough for this value's type. */
    static boolean fits(Value value) {
        return GraphPatterns.isReal(value) && value.elementType() != ElementType.DOUBLE;
    }
}
