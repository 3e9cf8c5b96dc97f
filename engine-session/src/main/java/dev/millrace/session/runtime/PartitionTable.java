package dev.millrace.session.runtime;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.session.SessionReport.PartitionInfo;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The table of a graph's parts and their providers: each compiled partition, and each sequence of
 * single nodes of one provider in between.
 */
final class PartitionTable {
    private final Partitioning parts;
    private final Map<Node, Partition> compiled = new IdentityHashMap<>();
    private final List<PartitionInfo> table = new ArrayList<>();
    private @Nullable String provider;
    private String name = "";
    private Map<String, Integer> operators = new TreeMap<>();

    private PartitionTable(Partitioning parts) {
        this.parts = parts;
        parts.fused().forEach(each -> compiled.put(each.partition().fused(), each.partition()));
    }

    static List<PartitionInfo> of(Partitioning parts) {
        var builder = new PartitionTable(parts);
        builder.add(parts.graph());
        builder.endRun();
        return builder.table;
    }

    private void add(Graph graph) {
        for (Node node : graph.nodes()) {
            ExecutionProvider owner = parts.singles().get(node);
            if (owner == null) {
                continue;
            }
            Partition partition = compiled.get(node);
            if (partition != null) {
                endRun();
                start(owner.name(), partition.name());
                partition.graph().nodes().forEach(inner -> count(inner));
                end(true);
                continue;
            }
            if (!owner.name().equals(provider)) {
                endRun();
                start(owner.name(), node.name().isEmpty() ? node.describe() : node.name());
            }
            count(node);
            node.attributes().graphs().forEach(this::add);
        }
    }

    private void start(String providerName, String first) {
        provider = providerName;
        name = first;
        operators = new TreeMap<>();
    }

    private void count(Node node) {
        operators.merge(node.op().toString(), 1, Integer::sum);
    }

    private void endRun() {
        if (provider != null) {
            end(false);
        }
    }

    private void end(boolean isCompiled) {
        if (provider != null) {
            table.add(new PartitionInfo(name, provider, isCompiled, operators));
        }
        provider = null;
    }
}
