package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;

/**
 * What folding may add to a model in all: as much as its constants take, and a few of the largest that may be made of
 * nothing. Without a bound, forty nodes that double a constant make terabytes of it.
 */
public final class FoldBudget {
    private static final int LARGEST = 8;
    private static final long UNKNOWN = -1;

    private final Graph main;
    private final long limitBytes;
    private long left = UNKNOWN;

    /** @param limitBytes the most bytes of one folded constant that is larger than what it is made of */
    public FoldBudget(Graph main, long limitBytes) {
        this.main = main;
        this.limitBytes = limitBytes;
    }

    long limitBytes() {
        return limitBytes;
    }

    /** Whether {@code bytes} more, which may be negative, are within it. */
    boolean allows(long bytes) {
        if (left == UNKNOWN) {
            left = bytes(main) + Math.min(limitBytes, Long.MAX_VALUE / 16) * LARGEST;
        }
        return bytes <= left;
    }

    void take(long bytes) {
        left -= bytes;
    }

    private static long bytes(Graph graph) {
        long bytes = 0;
        for (Value value : graph.constants()) {
            Tensor tensor = value.constant();
            bytes += tensor == null ? 0 : tensor.type().bytes(tensor.elements());
        }
        for (Node node : graph.nodes()) {
            for (Graph nested : node.attributes().graphs()) {
                bytes += bytes(nested);
            }
        }
        return bytes;
    }
}
