package dev.millrace.providers.partition;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A graph that has been shared out: in it and in the graphs nested in it every node is either the stand-in of a partition
 * or a single node of its provider.
 */
public record Partitioning(Graph graph, List<Fused> fused, Map<Node, ExecutionProvider> singles) {
    /** A partition and who compiles it. */
    public record Fused(Partition partition, ExecutionProvider provider) {}

    public Partitioning {
        fused = List.copyOf(fused);
        singles = Collections.unmodifiableMap(new IdentityHashMap<>(singles));
    }
}
