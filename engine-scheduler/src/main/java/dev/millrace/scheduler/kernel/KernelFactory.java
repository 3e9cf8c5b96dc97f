package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Node;
import org.jspecify.annotations.Nullable;

/** Makes kernels for nodes. */
@FunctionalInterface
public interface KernelFactory {
    /** The kernel for this node, or null where there is none. Attributes are checked here, once. */
    @Nullable
    Kernel create(Node node);
}
