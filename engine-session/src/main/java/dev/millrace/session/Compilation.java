package dev.millrace.session;

import dev.millrace.epcontext.ContextBinaryWriter;
import dev.millrace.epcontext.ContextModelWriter;
import dev.millrace.epcontext.ContextResolver;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Fallback;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gets a kernel for every node of a graph that has been shared out, and keeps what was compiled where that is wanted. */
final class Compilation {
    private final SessionOptions options;
    private final Partitioning parts;
    private final ContextResolver resolver;
    private final List<ExecutionProvider> providers;
    private final Map<ExecutionProvider, List<Partition>> fused = new LinkedHashMap<>();
    private final Map<String, ContextBinaryWriter> kept = new LinkedHashMap<>();

    Compilation(
            SessionOptions options, Partitioning parts, ContextResolver resolver, List<ExecutionProvider> providers) {
        this.options = options;
        this.parts = parts;
        this.resolver = resolver;
        this.providers = providers;
        for (Partitioning.Fused each : parts.fused()) {
            fused.computeIfAbsent(each.provider(), key -> new ArrayList<>()).add(each.partition());
        }
    }

    Map<Node, Kernel> compile() {
        var kernels = new IdentityHashMap<Node, Kernel>();
        fused.forEach((provider, partitions) -> compile(provider, partitions, kernels));
        parts.singles().forEach((node, provider) -> {
            if (!kernels.containsKey(node)) {
                kernels.put(node, single(provider, node));
            }
        });
        return kernels;
    }

    private void compile(ExecutionProvider provider, List<Partition> partitions, Map<Node, Kernel> kernels) {
        if (options.disableModelCompile() && !partitions.stream().allMatch(Partition::isContext)) {
            throw new EngineException(
                    Status.MODEL_REQUIRES_COMPILATION,
                    "User disabled EP compilation but EP '" + provider.name()
                            + "' needs to compile one or more nodes.");
        }
        @Nullable ContextBinaryWriter sink = null;
        if (options.epContext().enable()) {
            sink = new ContextBinaryWriter(provider.name());
            kept.put(provider.name(), sink);
        }
        List<Kernel> compiled;
        try {
            compiled = provider.compile(partitions, new Context(sink, Fallback.behind(provider, providers)));
        } catch (EngineException e) {
            throw e.at("provider '" + provider.name() + "'");
        } catch (RuntimeException e) {
            throw EngineException.wrap(Status.EP_FAIL, "provider '" + provider.name() + "'", e);
        }
        if (compiled.size() != partitions.size()) {
            throw new EngineException(
                    Status.EP_FAIL,
                    provider.name() + " did not return correct number of compiled functions: " + compiled.size()
                            + " for " + partitions.size() + " partitions");
        }
        for (int i = 0; i < compiled.size(); i++) {
            kernels.put(partitions.get(i).fused(), compiled.get(i));
        }
    }

    private static Kernel single(ExecutionProvider provider, Node node) {
        KernelFactory factory = provider.kernels();
        Kernel kernel;
        try {
            kernel = factory == null ? null : factory.create(node);
        } catch (RuntimeException e) {
            throw EngineException.wrap(Status.INVALID_GRAPH, node.describe() + " (" + provider.name() + ")", e);
        }
        if (kernel == null) {
            throw new EngineException(
                    Status.EP_FAIL,
                    "provider '" + provider.name() + "' claimed " + node.describe() + " but has no kernel for it");
        }
        return kernel;
    }

    /** Writes the context model where the options ask for one; null where they do not or nothing was compiled. */
    @Nullable
    Path writeContext(Model model) {
        if (!options.epContext().enable()) {
            return null;
        }
        var compatibility = new LinkedHashMap<String, String>();
        fused.keySet().forEach(provider -> {
            String info = provider.compatibilityInfo(model.graph());
            if (!info.isEmpty()) {
                compatibility.put(provider.name(), info);
            }
        });
        return ContextModelWriter.write(model, parts, kept, options.epContext(), compatibility);
    }

    /** What providers see while they compile. */
    private final class Context implements CompileContext {
        private final @Nullable ContextSink sink;
        private final KernelFactory fallback;

        Context(@Nullable ContextSink sink, KernelFactory fallback) {
            this.sink = sink;
            this.fallback = fallback;
        }

        @Override
        public KernelFactory fallback() {
            return fallback;
        }

        @Override
        public @Nullable ContextSink sink() {
            return sink;
        }

        @Override
        public CompiledGraph resolve(Node epContextNode) {
            return resolver.resolve(epContextNode);
        }

        @Override
        public void checkCancelled() {
            if (options.cancellation().isCancelled()) {
                throw new EngineException(Status.MODEL_LOAD_CANCELED, "compiling was cancelled");
            }
        }
    }
}
