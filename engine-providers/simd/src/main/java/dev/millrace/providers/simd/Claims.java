package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.EpContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Chooses the nodes of a graph that are worth compiling. */
final class Claims {
    private final String provider;
    /** The nodes that can be compiled, and whether each is worth it on its own. */
    private final Map<Node, Boolean> supported = new LinkedHashMap<>();

    private Claims(String provider) {
        this.provider = provider;
    }

    /** Claims what {@code provider} compiles, and the EPContext nodes that it made before. */
    static void claim(String provider, Graph graph, CapabilitySink sink) {
        var claims = new Claims(provider);
        for (Node node : graph.nodes()) {
            if (claims.isOwnContext(node)) {
                sink.fuse(List.of(node));
            } else if (!sink.isTaken(node)) {
                claims.consider(node);
            }
        }
        var nodes = new ArrayList<Node>();
        claims.supported.forEach((node, isWorthIt) -> {
            if (isWorthIt || claims.hasNeighbour(node)) {
                nodes.add(node);
            }
        });
        if (!nodes.isEmpty()) {
            sink.fuse(nodes);
        }
    }

    private boolean isOwnContext(Node node) {
        return node.op().equals(EpContext.OP)
                && node.attributes().text(EpContext.SOURCE, "").equals(provider);
    }

    private void consider(Node node) {
        if (ProductRule.of(node) != null) {
            supported.put(node, true);
            return;
        }
        ElementwiseRule rule = ElementwiseRule.of(node);
        if (rule != null) {
            supported.put(node, !rule.isCheap());
        }
    }

    private boolean hasNeighbour(Node node) {
        Value output = node.requireOutput(0);
        return output.users().stream().anyMatch(supported::containsKey)
                || node.inputs().stream()
                        .anyMatch(input ->
                                input != null && input.producer() != null && supported.containsKey(input.producer()));
    }
}
