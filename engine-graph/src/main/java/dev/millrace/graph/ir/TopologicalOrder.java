package dev.millrace.graph.ir;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/** Puts the nodes of a graph in an order in which every value is made before it is read, else as they stand. */
public final class TopologicalOrder {
    private static final int MOST_SHOWN = 16;

    private TopologicalOrder() {}

    /** Reorders {@code graph}, not the graphs nested in it; throws where nodes wait for each other. */
    public static void restore(Graph graph) {
        var nodes = new ArrayList<Node>(graph.nodeCount());
        Map<Node, Integer> index = new IdentityHashMap<>();
        for (Node node : graph.nodes()) {
            index.put(node, nodes.size());
            nodes.add(node);
        }
        int[] waiting = new int[nodes.size()];
        var readers = new ArrayList<List<Node>>();
        for (Node node : nodes) {
            List<Node> found = node.readersIn(graph);
            found.forEach(reader -> waiting[indexOf(index, reader)]++);
            readers.add(found);
        }
        var ready = new PriorityQueue<Integer>();
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i] == 0) {
                ready.add(i);
            }
        }
        var order = new ArrayList<Node>(nodes.size());
        while (!ready.isEmpty()) {
            int next = ready.poll();
            order.add(nodes.get(next));
            for (Node node : readers.get(next)) {
                int reader = indexOf(index, node);
                if (--waiting[reader] == 0) {
                    ready.add(reader);
                }
            }
        }
        if (order.size() < nodes.size()) {
            throw EngineException.invalidGraph(graph + " has a cycle: " + cycle(nodes, readers, waiting, index));
        }
        new GraphEditor(graph).reorder(order);
    }

    private static int indexOf(Map<Node, Integer> index, Node node) {
        Integer number = index.get(node);
        if (number == null) {
            throw new IllegalStateException(node.describe() + " reads a value of a graph that it was taken out of");
        }
        return number;
    }

    /** The nodes of one cycle. Each node that still waits does so for another: walking back ends in a circle. */
    private static String cycle(List<Node> nodes, List<List<Node>> readers, int[] waiting, Map<Node, Integer> index) {
        int[] awaited = new int[waiting.length];
        int at = 0;
        for (int i = 0; i < waiting.length; i++) {
            if (waiting[i] > 0) {
                at = i;
                for (Node reader : readers.get(i)) {
                    awaited[indexOf(index, reader)] = i;
                }
            }
        }
        for (int i = 0; i < waiting.length; i++) {
            at = awaited[at];
        }
        var names = new ArrayList<String>();
        int start = at;
        do {
            names.addFirst(nodes.get(at).describe());
            at = awaited[at];
        } while (at != start && names.size() < MOST_SHOWN);
        return String.join(" -> ", names);
    }
}
