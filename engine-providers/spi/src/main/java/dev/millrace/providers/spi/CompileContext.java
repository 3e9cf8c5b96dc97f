package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The services of the engine to a provider that compiles partitions. */
public interface CompileContext {
    /** The sink for compiled data that is to be written into a context binary, or null where none is written. */
    @Nullable
    ContextSink sink();

    /** The kernels of the providers behind this one, for nodes of a partition that this provider has no kernel for. */
    KernelFactory fallback();

    /**
     * Returns the compiled graph that was kept for an EPContext node: mapped, checked and shared with every session
     * that resolves the same node.
     */
    CompiledGraph resolve(Node epContextNode);

    /**
     * Returns the containers in the provider's own format in which the graph of an EPContext node lies: the one that the node
     * holds or names, or, for a node whose {@code main_context} is 0, those of all other nodes of its {@code source}. They are
     * not read by this call.
     */
    default List<ContextBlob> blobs(Node epContextNode) {
        throw EngineException.notImplemented("no containers of a provider's own are kept here");
    }

    /** Throws where the creation of the session was cancelled. */
    void checkCancelled();
}
