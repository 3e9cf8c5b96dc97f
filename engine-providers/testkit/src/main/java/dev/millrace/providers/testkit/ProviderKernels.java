package dev.millrace.providers.testkit;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Fallback;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The kernels of one graph that is shared out among providers: compiled for what they fuse, made for what is left. */
public final class ProviderKernels implements KernelFactory {
    private final Partitioning partitioning;
    private final Map<Node, Kernel> compiled = new IdentityHashMap<>();

    private ProviderKernels(Partitioning partitioning) {
        this.partitioning = partitioning;
    }

    /** Shares {@code graph} out among {@code providers}, in their order, changing it, and compiles what they fuse. */
    public static ProviderKernels of(Graph graph, List<ExecutionProvider> providers) {
        var kernels = new ProviderKernels(Partitioner.partition(graph, providers, "case"));
        for (ExecutionProvider provider : providers) {
            kernels.compile(provider, providers);
        }
        return kernels;
    }

    private void compile(ExecutionProvider provider, List<ExecutionProvider> providers) {
        List<Partition> partitions = fusedBy(provider);
        if (partitions.isEmpty()) {
            return;
        }
        List<Kernel> kernels = provider.compile(partitions, new NothingKept(Fallback.behind(provider, providers)));
        for (int i = 0; i < partitions.size(); i++) {
            compiled.put(partitions.get(i).fused(), kernels.get(i));
        }
    }

    /** The partitions that {@code provider} compiled. */
    public List<Partition> fusedBy(ExecutionProvider provider) {
        return partitioning.fused().stream()
                .filter(fused -> fused.provider() == provider)
                .map(Partitioning.Fused::partition)
                .toList();
    }

    @Override
    public @Nullable Kernel create(Node node) {
        Kernel kernel = compiled.get(node);
        if (kernel != null) {
            return kernel;
        }
        ExecutionProvider provider = partitioning.singles().get(node);
        KernelFactory kernels = provider == null ? null : provider.kernels();
        return kernels == null ? null : kernels.create(node);
    }

    private record NothingKept(KernelFactory fallback) implements CompileContext {
        @Override
        public @Nullable ContextSink sink() {
            return null;
        }

        @Override
        public CompiledGraph resolve(Node epContextNode) {
            throw new AssertionError("nothing is kept for " + epContextNode.describe());
        }

        @Override
        public void checkCancelled() {
            // nobody cancels a test
        }
    }
}
