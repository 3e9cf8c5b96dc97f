package dev.millrace.providers.spi;

import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.KernelFactory;
import org.jspecify.annotations.Nullable;

/** What the engine offers while a provider compiles. */
public interface CompileContext {
    /** Where to put what should be kept, or null where nothing is kept. */
    @Nullable
    ContextSink sink();

    /** Kernels of the providers behind this one, for nodes of a partition that it has none for. */
    KernelFactory fallback();

    /** What was kept for an EPContext node: mapped, checked, shared with every session that resolves the same. */
    CompiledGraph resolve(Node epContextNode);

    /** Throws where the session's creation was cancelled. */
    void checkCancelled();
}
