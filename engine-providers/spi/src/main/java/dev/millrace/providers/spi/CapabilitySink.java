package dev.millrace.providers.spi;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Where a provider says which nodes it takes. */
public interface CapabilitySink {
    /**
     * Takes nodes to be compiled into one. Nodes that another has taken already are left out by their owner's right; what
     * is left is cut into the largest parts that can be one step each without a cycle. A node that has nested graphs is
     * taken with all that is in them; what they read from around them becomes inputs of the part.
     */
    void fuse(Collection<Node> nodes);

    /** Takes a node for one of the provider's own {@linkplain ExecutionProvider#kernels() kernels}. */
    void single(Node node);

    /** Takes a node as {@link #single} does, with the graphs nested in it, which stay as they are. */
    void whole(Node node);

    /** The provider's own kernel for this node, or null where it has none. */
    @Nullable
    Kernel lookUpKernel(Node node);

    /** The kernel that a provider behind this one has for a node, or null where none has one. */
    @Nullable
    Kernel lookUpFallback(Node node);

    /** Whether another provider has this node already. */
    boolean isTaken(Node node);
}
