package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;

/**
 * The number of bytes that constant folding may add to a model in all: the size of its constants, plus a few constants
 * of the largest size that folding may make of small inputs. Without a bound, forty nodes that double a constant make
 * terabytes of it.
 */
public final class FoldBudget {
    private static final int LARGEST = 8;
    private static final long UNKNOWN = -1;

    private final Graph main;
    private final long limitBytes;
    private long left = UNKNOWN;

    /** @param limitBytes the largest size of one folded constant that is larger than its inputs */
    public FoldBudget(Graph main, long limitBytes) {
        this.main = main;
        this.limitBytes = limitBytes;
    }

    long limitBytes() {
        return limitBytes;
    }

    /** Whether the budget allows {@code bytes} more, which may be negative. */
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
