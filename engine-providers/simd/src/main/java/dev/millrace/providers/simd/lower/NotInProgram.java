package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Node;

/**
 * Thrown where a node cannot be part of a program: it needs what is known when nodes before it have run, or rules cannot do
 * it.
 */
public final class NotInProgram extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Node node;

    NotInProgram(Node node, String what) {
        super(node.describe() + ": " + what, null, false, false);
        this.node = node;
    }

    /** The node, which may stand in a branch. */
    public Node node() {
        return node;
    }
}
