package dev.millrace.providers.partition;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.TopologicalOrder;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Fallback;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The assignment of a graph's nodes to providers. Providers are asked in their order which nodes they claim, for a
 * graph before the graphs that are nested in it and are not fused. A node belongs to the first provider that claims it.
 * The nodes to be fused are cut into maximal convex groups, and each group is replaced by one node.
 */
public final class Partitioner {
    /** The domains of onnxruntime-extensions. */
    private static final Set<String> EXTENDED = Set.of("ai.onnx.contrib", "com.microsoft.extensions");

    private final Graph main;
    private final List<ExecutionProvider> providers;
    private final String namePrefix;
    private final Map<Node, ExecutionProvider> singles = new IdentityHashMap<>();
    private final Set<Node> whole = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Partitioning.Fused> fused = new ArrayList<>();
    private final Map<String, Integer> counters = new HashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final List<EngineException> failures = new ArrayList<>();

    private Partitioner(Graph main, List<ExecutionProvider> providers, String namePrefix) {
        this.main = main;
        this.providers = providers;
        this.namePrefix = namePrefix;
    }

    /**
     * Assigns every node of {@code graph} to a provider, changing the graph. Throws where no provider claims a node.
     */
    public static Partitioning partition(Graph graph, List<ExecutionProvider> providers, String namePrefix) {
        return share(graph, providers, namePrefix).parts();
    }

    /** Partitions as {@link #partition} does, for a caller that may halve partitions or take them back afterwards. */
    public static Partitioner share(Graph graph, List<ExecutionProvider> providers, String namePrefix) {
        var partitioner = new Partitioner(graph, providers, namePrefix);
        partitioner.shareOut(graph, providers);
        return partitioner;
    }

    /** Returns the partitions and single nodes as they are assigned now. */
    public Partitioning parts() {
        return new Partitioning(main, fused, singles);
    }

    /** Returns a sentence for each provider whose claims were dropped because it failed. */
    public List<String> notes() {
        return List.copyOf(notes);
    }

    /**
     * Splits a partition of several nodes into two of the same provider, or into more where the halves are not convex.
     */
    public List<Partitioning.Fused> halve(Partitioning.Fused part) {
        Graph graph = part.partition().fused().graph();
        List<Node> nodes = putBack(part);
        int before = fused.size();
        int half = nodes.size() / 2;
        fuse(graph, part.provider(), nodes.subList(0, half));
        fuse(graph, part.provider(), nodes.subList(half, nodes.size()));
        return List.copyOf(fused.subList(before, fused.size()));
    }

    /**
     * Takes a partition from its provider. Its nodes go to the providers behind it that claim them. Throws where none
     * claims a node.
     */
    public void giveBack(Partitioning.Fused part) {
        Graph graph = part.partition().fused().graph();
        putBack(part);
        shareOut(graph, behind(part.provider()));
    }

    /**
     * Takes a single node from its provider. The first provider behind it that claims the node gets it. Throws where
     * none does.
     */
    public void giveBack(Node node) {
        ExecutionProvider provider = singles.remove(node);
        if (provider == null) {
            throw new IllegalArgumentException(node.describe() + " belongs to no provider");
        }
        shareOut(node.graph(), behind(provider));
    }

    private List<ExecutionProvider> behind(ExecutionProvider provider) {
        return providers.subList(providers.indexOf(provider) + 1, providers.size());
    }

    private List<Node> putBack(Partitioning.Fused part) {
        fused.remove(part);
        singles.remove(part.partition().fused());
        return PartitionCutter.putBack(part.partition());
    }

    private void shareOut(Graph graph, List<ExecutionProvider> asked) {
        for (ExecutionProvider provider : asked) {
            var claims = new Claims(provider);
            try {
                ProviderGuard.run(provider.name(), () -> graph.whileReadOnly(() -> provider.claim(graph, claims)));
            } catch (EngineException e) {
                if (e.status() != Status.EP_FAIL) {
                    throw e;
                }
                notes.add("the claims of a provider are dropped, and the providers behind it are asked: "
                        + e.getMessage());
                failures.add(e);
                continue;
            }
            claims.singles.forEach(node -> singles.put(node, provider));
            whole.addAll(claims.whole);
            claims.contexts.forEach(node -> replace(graph, provider, List.of(node)));
            if (!claims.toFuse.isEmpty()) {
                fuse(graph, provider, claims.toFuse);
            }
        }
        for (Node node : graph.nodes()) {
            if (!isTaken(node)) {
                throw unclaimed(node);
            }
            if (!whole.contains(node)) {
                node.attributes().graphs().forEach(nested -> shareOut(nested, asked));
            }
        }
    }

    private void fuse(Graph graph, ExecutionProvider provider, Collection<Node> nodes) {
        for (List<Node> group : ConvexGroups.of(graph, nodes)) {
            replace(graph, provider, group);
        }
        TopologicalOrder.restore(graph);
    }

    private void replace(Graph graph, ExecutionProvider provider, List<Node> group) {
        int number = counters.merge(provider.name(), 1, Integer::sum);
        String name = namePrefix + "_" + provider.name() + "_" + number;
        Partition partition = PartitionCutter.cut(graph, group, provider.name(), name);
        fused.add(new Partitioning.Fused(partition, provider));
        singles.put(partition.fused(), provider);
    }

    private boolean isTaken(Node node) {
        return singles.containsKey(node);
    }

    private EngineException unclaimed(Node node) {
        List<String> names = providers.stream().map(ExecutionProvider::name).toList();
        if (!failures.isEmpty()) {
            var failure = new EngineException(
                    Status.EP_FAIL,
                    failures.getFirst().getMessage() + "; no other provider of " + names + " takes " + node.describe(),
                    failures.getFirst());
            failures.stream().skip(1).forEach(failure::addSuppressed);
            return failure;
        }
        if (node.op().equals(EpContext.OP)) {
            return EngineException.invalidGraph("EPContext node generated by '"
                    + node.attributes().text(EpContext.SOURCE, "")
                    + "' is not compatible with any execution provider added to the session. EPContext node name: '"
                    + node.name() + "'. Available session execution providers: " + names);
        }
        return EngineException.notImplemented(node.describe() + " (opset " + node.opset()
                + ") is implemented by none of the providers " + names + remedy(node, names) + lowered());
    }

    private static String remedy(Node node, List<String> names) {
        if (EXTENDED.contains(node.op().domain()) && !names.contains("extensions")) {
            return "; add 'extensions' of millrace-extensions, which has operators of this domain";
        }
        return names.contains("cpu")
                ? "; a provider of your own can have it"
                : "; add 'cpu', or a provider that has it";
    }

    /**
     * Describes the providers that are slower on this machine than they could be, and may therefore leave nodes to
     * others.
     */
    private String lowered() {
        var text = new StringBuilder();
        for (ExecutionProvider provider : providers) {
            ProviderLevel level = provider.computeLevel();
            if (level != null && level.isLowered()) {
                text.append("; ").append(level.describe(provider.name()));
            }
        }
        return text.toString();
    }

    /** The claims of one provider on the nodes of one graph. */
    private final class Claims implements CapabilitySink {
        private final ExecutionProvider provider;
        private final Set<Node> toFuse = new LinkedHashSet<>();
        private final Set<Node> contexts = new LinkedHashSet<>();
        private final Set<Node> singles = new LinkedHashSet<>();
        private final Set<Node> whole = new LinkedHashSet<>();

        Claims(ExecutionProvider provider) {
            this.provider = provider;
        }

        @Override
        public void fuse(Collection<Node> nodes) {
            for (Node node : nodes) {
                if (isTaken(node) || isForeignContext(node)) {
                    continue;
                }
                (node.op().equals(EpContext.OP) ? contexts : toFuse).add(node);
            }
        }

        @Override
        public void single(Node node) {
            if (!isTaken(node) && !toFuse.contains(node) && !isForeignContext(node)) {
                singles.add(node);
            }
        }

        @Override
        public void whole(Node node) {
            single(node);
            if (singles.contains(node)) {
                whole.add(node);
            }
        }

        /**
         * Whether another provider compiled this node: such a node is not given to the claiming provider, whatever it
         * claims.
         */
        private boolean isForeignContext(Node node) {
            if (!node.op().equals(EpContext.OP)) {
                return false;
            }
            String source = node.attributes().text(EpContext.SOURCE, "");
            return !source.isEmpty()
                    && !source.equals(provider.name())
                    && !provider.sourceAliases().contains(source);
        }

        @Override
        public @Nullable Kernel lookUpKernel(Node node) {
            KernelFactory kernels = provider.kernels();
            return kernels == null ? null : kernels.create(node);
        }

        @Override
        public @Nullable Kernel lookUpFallback(Node node) {
            return Fallback.behind(provider, providers).create(node);
        }

        @Override
        public boolean isTaken(Node node) {
            return Partitioner.this.isTaken(node) || singles.contains(node);
        }
    }
}
