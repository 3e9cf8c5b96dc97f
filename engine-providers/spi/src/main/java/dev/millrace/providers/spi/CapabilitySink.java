package dev.millrace.providers.spi;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** The receiver of a provider's claims on the nodes of a graph. */
public interface CapabilitySink {
    /**
     * Claims nodes that are to be compiled into one step. Nodes that another provider has claimed already are left out.
     * The rest is cut into the largest groups that can be one step each without a cycle. A node with nested graphs is
     * claimed with everything in them; the values that these graphs read from outside become inputs of the partition.
     */
    void fuse(Collection<Node> nodes);

    /** Claims a node for one of the provider's own {@linkplain ExecutionProvider#kernels() kernels}. */
    void single(Node node);

    /** Claims a node as {@link #single} does, together with the graphs nested in it, which stay as they are. */
    void whole(Node node);

    /** The provider's own kernel for this node, or null where it has none. */
    @Nullable
    Kernel lookUpKernel(Node node);

    /** The kernel that a provider behind this one has for a node, or null where none has one. */
    @Nullable
    Kernel lookUpFallback(Node node);

    /** Whether a provider has claimed this node already. */
    boolean isTaken(Node node);
}
