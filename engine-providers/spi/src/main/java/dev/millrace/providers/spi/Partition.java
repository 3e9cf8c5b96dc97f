package dev.millrace.providers.spi;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import java.util.ArrayList;
import java.util.List;

/**
 * A group of nodes that a provider compiles into one step.
 *
 * @param name unique in the model and stable from compilation to compilation
 * @param graph the group as a graph of its own: its inputs are the values that the group reads, its constants stay
 *     constants
 * @param fused the node that replaces the group in the model's graph, with inputs and outputs in the same order
 */
public record Partition(String name, Graph graph, Node fused) {
    /**
     * The only node of a partition, such as the EPContext node of one that was compiled before. Throws where there are
     * several.
     */
    public Node onlyNode() {
        Node node = graph.firstNode();
        if (node == null || graph.nodeCount() != 1) {
            throw new IllegalStateException(name + " has " + graph.nodeCount() + " nodes");
        }
        return node;
    }

    /** Whether the partition is an EPContext node: it was compiled before and is to be resolved. */
    public boolean isContext() {
        Node node = graph.firstNode();
        return graph.nodeCount() == 1 && node != null && node.op().equals(EpContext.OP);
    }

    public List<Node> nodes() {
        var nodes = new ArrayList<Node>();
        graph.nodes().forEach(nodes::add);
        return nodes;
    }
}
