package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Predicates and lookups on the structure of a graph, from which patterns are built. */
final class GraphPatterns {
    private static final ElementType[] REAL = {
        ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16, ElementType.BFLOAT16
    };

    private GraphPatterns() {}

    /**
     * Returns the ONNX node {@code op} of {@code graph} that produces {@code value}; null where it has another source.
     */
    static @Nullable Node producer(@Nullable Value value, Graph graph, String op) {
        Node node = value == null ? null : value.producer();
        boolean fits = node != null && node.graph() == graph && node.is(op);
        return fits && value != null && value.outputIndex() == 0 ? node : null;
    }

    /** Returns {@link #producer} if a single node reads the value, so that the two can be fused; null otherwise. */
    static @Nullable Node inner(@Nullable Value value, Graph graph, String op) {
        return value != null && isInner(value, graph, 1) ? producer(value, graph, op) : null;
    }

    /**
     * Returns {@link #inner} if it is an arithmetic operator of opset 7 or later, which broadcasts by numpy's rule;
     * null otherwise.
     */
    static @Nullable Node innerArithmetic(@Nullable Value value, Graph graph, String op) {
        Node node = inner(value, graph, op);
        return node != null && node.opset() >= 7 ? node : null;
    }

    /**
     * Whether {@code value} is read exactly {@code reads} times, only by nodes of {@code graph}, and is no output of
     * any graph.
     */
    static boolean isInner(Value value, Graph graph, int reads) {
        List<Node> users = value.users();
        if (users.size() != reads || value.isGraphOutput()) {
            return false;
        }
        for (Node user : users) {
            if (user.graph() != graph) {
                return false;
            }
        }
        return true;
    }

    /** Returns the arithmetic node {@code op} that is the only reader of {@code value}; null where there is none. */
    static @Nullable Node onlyReader(Value value, String op) {
        Node reader = isInner(value, value.graph(), 1) ? value.users().getFirst() : null;
        return reader != null && isArithmetic(reader, op) ? reader : null;
    }

    /** Returns the operand of a binary node that is not {@code one}. */
    static @Nullable Value other(Node binary, Value one) {
        return binary.input(0) == one ? binary.input(1) : binary.input(0);
    }

    /** Whether this is the arithmetic operator {@code op} of opset 7 or later, which broadcasts by numpy's rule. */
    static boolean isArithmetic(Node node, String op) {
        return node.is(op) && node.opset() >= 7;
    }

    /** Whether the extents of both are equal for every input of the model. */
    static boolean sameShape(@Nullable Value a, @Nullable Value b) {
        SymbolicShape x = a == null ? null : a.shape();
        SymbolicShape y = b == null ? null : b.shape();
        if (x == null || y == null || x.rank() != y.rank()) {
            return false;
        }
        for (int i = 0; i < x.rank(); i++) {
            if (!same(x.dim(i), y.dim(i))) {
                return false;
            }
        }
        return true;
    }

    static boolean same(Dim a, Dim b) {
        return a != Dim.UNKNOWN && a.equals(b);
    }

    static boolean sameRank(@Nullable Value a, @Nullable Value b) {
        int rank = rank(a);
        return rank >= 0 && rank == rank(b);
    }

    /** The rank, or -1 where it is not known. */
    static int rank(@Nullable Value value) {
        SymbolicShape shape = value == null ? null : value.shape();
        return shape == null ? -1 : shape.rank();
    }

    static boolean sameElements(@Nullable Value a, @Nullable Value b) {
        return a != null && b != null && a.elementType() != null && a.elementType() == b.elementType();
    }

    /** Whether {@code value} holds real numbers of sixteen bits or more. */
    static boolean isReal(@Nullable Value value) {
        ElementType type = value == null ? null : value.elementType();
        for (ElementType real : REAL) {
            if (real == type) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the opset of a replacement for {@code node}: its own, or the first one of the new operator if that is
     * later.
     */
    static int opset(Node node, int since) {
        return Math.max(node.opset(), since);
    }

    /**
     * Whether the readers of {@code from} may read {@code to}. An output of a graph must stay the output of one of its
     * nodes, so that inputs and outputs never share memory.
     */
    static boolean canStandFor(Value from, Value to) {
        Node producer = to.producer();
        return !from.isGraphOutput() || producer != null && producer.graph() == from.graph();
    }
}
