package dev.millrace.providers.spi;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import java.util.List;

/**
 * What a provider is to compile into one step.
 *
 * @param name unique in the model and stable from compilation to compilation
 * @param graph the part as a graph of its own: its inputs are what it reads, its constants stay constants
 * @param fused the node that stands for it in the model's graph, with inputs and outputs in the same order
 */
public record Partition(String name, Graph graph, Node fused) {
    /** The one node of a partition that was compiled before, or of any other that has just one. */
    public Node onlyNode() {
        Node node = graph.firstNode();
        if (node == null || graph.nodeCount() != 1) {
            throw new IllegalStateException(name + " has " + graph.nodeCount() + " nodes");
        }
        return node;
    }

    /** Whether this is an EPContext node: compiled before, to be resolved. */
    public boolean isContext() {
        Node node = graph.firstNode();
        return graph.nodeCount() == 1 && node != null && node.op().equals(EpContext.OP);
    }

    public List<Node> nodes() {
        var nodes = new java.util.ArrayList<Node>();
        graph.nodes().forEach(nodes::add);
        return nodes;
    }
}
