package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A small tree of Mul, Div, Neg and Pow nodes as a number times some values, independent of the order of
 * multiplication. Only nodes whose result nothing else reads belong to the tree.
 */
record ScaledProduct(double coefficient, List<Value> factors) {
    private static final int MOST_NODES = 6;

    ScaledProduct {
        factors = List.copyOf(factors);
    }

    /** Returns the product whose last operation is {@code root}, which may have any readers; null where it is none. */
    static @Nullable ScaledProduct of(@Nullable Node root) {
        if (root == null) {
            return null;
        }
        var reading = new Reading(root.graph());
        return reading.expand(root) ? reading.finish() : null;
    }

    /** Returns the product that {@code value} is; a value that is no product has itself as the only factor. */
    static ScaledProduct of(Value value, Graph graph) {
        Node node = GraphPatterns.isInner(value, graph, 1) ? value.producer() : null;
        ScaledProduct product = node != null && node.graph() == graph ? of(node) : null;
        return product == null ? new ScaledProduct(1, List.of(value)) : product;
    }

    boolean is(double expected, Value... values) {
        if (factors.size() != values.length || !near(expected)) {
            return false;
        }
        var left = new ArrayList<Value>(factors);
        for (Value value : values) {
            left.remove(value);
        }
        return left.isEmpty();
    }

    boolean near(double expected) {
        return Constants.isNear(
                coefficient,
                expected,
                factors.isEmpty() ? null : factors.getFirst().elementType());
    }

    private static final class Reading {
        private final Graph graph;
        private final ArrayDeque<Value> open = new ArrayDeque<>();
        private final List<Value> factors = new ArrayList<>();
        private double coefficient = 1;
        private int nodes;

        Reading(Graph graph) {
            this.graph = graph;
        }

        ScaledProduct finish() {
            while (!open.isEmpty()) {
                Value value = open.remove();
                double scalar = Constants.scalar(value);
                Node producer = value.producer();
                if (!Double.isNaN(scalar)) {
                    coefficient *= scalar;
                } else if (producer == null
                        || producer.graph() != graph
                        || !GraphPatterns.isInner(value, graph, 1)
                        || !expand(producer)) {
                    factors.add(value);
                }
            }
            return new ScaledProduct(coefficient, factors);
        }

        boolean expand(Node node) {
            Value left = node.input(0);
            Value right = node.input(1);
            if (left == null || nodes >= MOST_NODES) {
                return false;
            }
            boolean expanded = true;
            if (GraphPatterns.isArithmetic(node, OpName.MUL) && right != null) {
                open.add(left);
                open.add(right);
            } else if (GraphPatterns.isArithmetic(node, OpName.DIV) && !Double.isNaN(Constants.scalar(right))) {
                open.add(left);
                coefficient /= Constants.scalar(right);
            } else if (GraphPatterns.isArithmetic(node, OpName.POW) && Constants.isScalar(right, 2)) {
                open.add(left);
                open.add(left);
            } else if (GraphPatterns.isArithmetic(node, OpName.POW) && Constants.isScalar(right, 3)) {
                open.add(left);
                open.add(left);
                open.add(left);
            } else if (node.is(OpName.NEG)) {
                open.add(left);
                coefficient = -coefficient;
            } else {
                expanded = false;
            }
            nodes += expanded ? 1 : 0;
            return expanded;
        }
    }
}
