package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.partition.PartitionCutter;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Parts;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a partition before a node that cannot be bound yet. The second part is bound when the first has run, and contents of
 * values are there. A node that nothing stands before is left to the fallback.
 */
final class PartsOfPartition {
    private final Graph graph;
    private final Function<Graph, Kernel> compile;
    private final Map<Node, Kernel> compiled = new IdentityHashMap<>();

    private PartsOfPartition(Graph graph, Function<Graph, Kernel> compile) {
        this.graph = graph;
        this.compile = compile;
    }

    /**
     * @param node a node of {@code partition}, or one of a branch in it
     * @param compile makes the kernel of a part
     * @param fallback kernels of other providers
     */
    static Parts before(Node node, Graph partition, Function<Graph, Kernel> compile, KernelFactory fallback) {
        var parts = new PartsOfPartition(GraphCopier.copy(partition, null), compile);
        parts.cut(place(node, partition));
        List<Integer> outputs =
                IntStream.range(0, partition.outputs().size()).boxed().toList();
        return new Parts(parts.graph, outputs, each -> parts.kernel(each, fallback));
    }

    private static int place(Node node, Graph partition) {
        int place = 0;
        for (Node each : partition.nodes()) {
            if (each == node.within(partition)) {
                return place;
            }
            place++;
        }
        throw new IllegalArgumentException(node.describe() + " is not in " + partition);
    }

    private void cut(int place) {
        var nodes = new ArrayList<Node>();
        graph.nodes().forEach(nodes::add);
        fuse(nodes.subList(0, place));
        fuse(nodes.subList(Math.max(1, place), nodes.size()));
    }

    private void fuse(List<Node> nodes) {
        if (!nodes.isEmpty()) {
            String name = graph.name() + "_" + (compiled.size() + 1);
            var part = PartitionCutter.cut(graph, List.copyOf(nodes), SimdProvider.NAME, name);
            compiled.put(part.fused(), compile.apply(part.graph()));
        }
    }

    private @Nullable Kernel kernel(Node node, KernelFactory fallback) {
        Kernel kernel = compiled.get(node);
        return kernel != null ? kernel : fallback.create(node);
    }
}
