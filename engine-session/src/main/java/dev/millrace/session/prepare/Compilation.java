package dev.millrace.session.prepare;

import dev.millrace.epcontext.ContextResolver;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextBlob;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Fallback;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gets a kernel for every node of a partitioned graph. Nodes that a provider claimed and cannot compile are
 * offered to the providers behind it.
 */
final class Compilation {
    private final BuildOptions options;
    private final Partitioner partitioner;
    private final ContextResolver resolver;
    private final OpenProviders providers;
    private final KeptContexts contexts;
    private final Notes notes;
    private final Map<Node, Kernel> kernels = new IdentityHashMap<>();

    Compilation(
            BuildOptions options,
            Partitioner partitioner,
            ContextResolver resolver,
            OpenProviders providers,
            KeptContexts contexts,
            Notes notes) {
        this.options = options;
        this.partitioner = partitioner;
        this.resolver = resolver;
        this.providers = providers;
        this.contexts = contexts;
        this.notes = notes;
    }

    Map<Node, Kernel> compile() {
        // Nodes that a provider gives back go to the providers behind it, before their turn.
        for (ExecutionProvider provider : providers.all()) {
            compileFused(provider);
            singlesOf(provider).forEach(node -> compileSingle(provider, node));
        }
        return kernels;
    }

    private List<Partitioning.Fused> fusedBy(ExecutionProvider provider) {
        var parts = new ArrayList<Partitioning.Fused>();
        for (Partitioning.Fused each : partitioner.parts().fused()) {
            if (each.provider() == provider) {
                parts.add(each);
            }
        }
        return parts;
    }

    private List<Node> singlesOf(ExecutionProvider provider) {
        var nodes = new ArrayList<Node>();
        partitioner.parts().singles().forEach((node, owner) -> {
            if (owner == provider && !kernels.containsKey(node)) {
                nodes.add(node);
            }
        });
        return nodes;
    }

    private void compileFused(ExecutionProvider provider) {
        List<Partitioning.Fused> all = fusedBy(provider);
        if (all.isEmpty()) {
            return;
        }
        if (options.disableModelCompile()
                && !all.stream().allMatch(each -> each.partition().isContext())) {
            throw new EngineException(
                    Status.MODEL_REQUIRES_COMPILATION,
                    "User disabled EP compilation but EP '" + provider.name()
                            + "' needs to compile one or more nodes.");
        }
        WeightlessCheck.compiling(provider, options.weightless());
        EngineException failure = compile(provider, all);
        if (failure == null) {
            return;
        }
        all.forEach(this::giveBackWhatFails);
        List<Partitioning.Fused> left = fusedBy(provider);
        if (left.isEmpty()) {
            contexts.forget(provider.name());
            return;
        }
        failure = compile(provider, left);
        if (failure != null) {
            throw failure;
        }
    }

    /** Bisects a partition for the nodes that its provider cannot compile, and leaves it the others. */
    private void giveBackWhatFails(Partitioning.Fused part) {
        EngineException failure = compile(part.provider(), List.of(part));
        if (failure == null) {
            // it is compiled again, together with everything that is left to the provider
            providers.release(part.provider());
            return;
        }
        if (part.partition().isContext()) {
            throw failure;
        }
        if (part.partition().graph().nodeCount() > 1) {
            partitioner.halve(part).forEach(this::giveBackWhatFails);
            return;
        }
        giveBack(part.provider(), part.partition().onlyNode(), failure, () -> partitioner.giveBack(part));
    }

    private void giveBack(ExecutionProvider provider, Node node, EngineException failure, Runnable back) {
        try {
            back.run();
        } catch (EngineException nobody) {
            failure.addSuppressed(nobody);
            throw failure;
        }
        notes.add("provider '" + provider.name() + "' cannot compile " + node.describe()
                + " and leaves it to the providers behind it: " + failure.getMessage());
    }

    private void compileSingle(ExecutionProvider provider, Node node) {
        try {
            kernels.put(node, single(provider, node));
        } catch (EngineException e) {
            giveBack(provider, node, e, () -> partitioner.giveBack(node));
        }
    }

    /** Compiles partitions together; returns the reason why the provider cannot, null if it could. */
    private @Nullable EngineException compile(ExecutionProvider provider, List<Partitioning.Fused> parts) {
        try {
            compileOrThrow(
                    provider, parts.stream().map(Partitioning.Fused::partition).toList());
            return null;
        } catch (EngineException e) {
            if (e.status() == Status.MODEL_LOAD_CANCELED || e.status() == Status.CANCELLED) {
                throw e;
            }
            providers.release(provider);
            return e;
        }
    }

    private void compileOrThrow(ExecutionProvider provider, List<Partition> partitions) {
        var context = new Context(contexts.anew(provider.name()), Fallback.behind(provider, providers.all()));
        List<Kernel> compiled = ProviderGuard.call(
                provider.name(),
                () -> ProviderSearch.isOwn(provider)
                        ? provider.compile(partitions, context)
                        : PatientCall.get(
                                "compile-" + provider.name(),
                                () -> provider.compile(partitions, context),
                                () -> options.checkCancelled("compiling"),
                                () -> providers.detach(provider)));
        if (compiled != null) {
            providers.compiled(provider, compiled);
        }
        if (compiled == null || compiled.size() != partitions.size()) {
            throw new EngineException(
                    Status.EP_FAIL,
                    provider.name() + " did not return correct number of compiled functions: "
                            + (compiled == null ? "none" : compiled.size())
                            + " for " + partitions.size() + " partitions");
        }
        for (int i = 0; i < compiled.size(); i++) {
            Kernel kernel = compiled.get(i);
            if (kernel == null) {
                throw new EngineException(
                        Status.EP_FAIL,
                        "provider '" + provider.name() + "' returned no kernel for partition '"
                                + partitions.get(i).name() + "'");
            }
            kernels.put(partitions.get(i).fused(), kernel);
        }
    }

    private static Kernel single(ExecutionProvider provider, Node node) {
        KernelFactory factory = ProviderGuard.call(provider.name(), provider::kernels);
        Kernel kernel;
        try {
            kernel = factory == null ? null : factory.create(node);
        } catch (RuntimeException e) {
            throw EngineException.wrap(Status.INVALID_GRAPH, node.describe() + " (" + provider.name() + ")", e);
        } catch (LinkageError e) {
            throw ProviderGuard.named(provider.name(), e).at(node.describe());
        }
        if (kernel == null) {
            throw new EngineException(
                    Status.EP_FAIL,
                    "provider '" + provider.name() + "' claimed " + node.describe() + " but has no kernel for it");
        }
        return kernel;
    }

    /** The context that a provider has while it compiles. */
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
        public List<ContextBlob> blobs(Node epContextNode) {
            return resolver.blobs(epContextNode);
        }

        @Override
        public void checkCancelled() {
            options.checkCancelled("compiling");
        }
    }
}
