package dev.millrace.epcontext;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Fuses the operators that it is told to, takes all else singly when told so, and keeps op names and constants. */
record FakeProvider(String name, Set<String> fuses, boolean takesTheRest) implements ExecutionProvider {
    static FakeProvider fusing(String name, String... operators) {
        return new FakeProvider(name, Set.of(operators), false);
    }

    static FakeProvider plain() {
        return new FakeProvider("plain", Set.of(), true);
    }

    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        var fused = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            boolean mine = fuses.contains(node.op().name()) || (node.op().equals(EpContext.OP) && !takesTheRest);
            if (mine) {
                fused.add(node);
            } else if (takesTheRest) {
                sink.single(node);
            }
        }
        sink.fuse(fused);
    }

    /** The plan that this provider makes of a partition. */
    static byte[] plan(Partition partition) {
        return partition.nodes().stream()
                .map(node -> node.op().name())
                .collect(Collectors.joining(","))
                .getBytes(StandardCharsets.UTF_8);
    }

    void keep(Partition partition, ContextSink sink) {
        int[] segments = partition.graph().constants().stream()
                .map(Value::constant)
                .filter(Objects::nonNull)
                .mapToInt(tensor -> sink.segment(tensor.segment()))
                .toArray();
        sink.graph(partition, plan(partition), segments);
    }

    /** Lets the providers of all partitions keep them, as a session would. */
    static Map<String, ContextBinaryWriter> keepAll(Partitioning parts) {
        var kept = new TreeMap<String, ContextBinaryWriter>();
        for (Partitioning.Fused each : parts.fused()) {
            var provider = (FakeProvider) each.provider();
            provider.keep(each.partition(), kept.computeIfAbsent(provider.name(), ContextBinaryWriter::new));
        }
        return kept;
    }
}
