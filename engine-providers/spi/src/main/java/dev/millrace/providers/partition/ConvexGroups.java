package dev.millrace.providers.partition;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Cuts a set of nodes into connected groups, as large as they can be, of which each can become one step: no way leads
 * out of a group and back into it. Two neighbouring groups are joined until none can be, so the groups are maximal.
 */
final class ConvexGroups {
    private static final int NONE = -1;
    private static final int SEVERAL = -2;

    private final List<Node> order = new ArrayList<>();
    private final Map<Node, Integer> indexOf = new IdentityHashMap<>();
    private final List<int[]> successors = new ArrayList<>();
    private final int[] groupOf;
    private final Map<Integer, BitSet> members = new HashMap<>();

    private ConvexGroups(Graph graph, Collection<Node> wanted) {
        for (Node node : graph.nodes()) {
            indexOf.put(node, order.size());
            order.add(node);
        }
        for (Node node : order) {
            successors.add(successors(graph, node));
        }
        groupOf = new int[order.size()];
        for (int i = 0; i < groupOf.length; i++) {
            groupOf[i] = -1;
        }
        for (Node node : wanted) {
            int index = index(node);
            groupOf[index] = index;
            var alone = new BitSet();
            alone.set(index);
            members.put(index, alone);
        }
    }

    /** The groups, each in topological order, the groups by their first node. */
    static List<List<Node>> of(Graph graph, Collection<Node> wanted) {
        var cut = new ConvexGroups(graph, wanted);
        cut.joinToOnlyProducers();
        cut.join();
        return cut.groups();
    }

    private int[] successors(Graph graph, Node node) {
        return node.readersIn(graph).stream().mapToInt(this::index).sorted().toArray();
    }

    private int index(Node node) {
        Integer index = indexOf.get(node);
        if (index == null) {
            throw new IllegalArgumentException(node.describe() + " is not in the graph that is shared out");
        }
        return index;
    }

    /**
     * Joins nodes that read from one group and from nothing else: that can never make a cycle, so it needs no search. It
     * takes long chains in one go.
     */
    private void joinToOnlyProducers() {
        int[] onlyUnit = new int[order.size()];
        Arrays.fill(onlyUnit, NONE);
        for (int from = 0; from < order.size(); from++) {
            if (groupOf[from] >= 0 && onlyUnit[from] >= 0) {
                merge(onlyUnit[from], groupOf[from]);
            }
            int unit = groupOf[from] >= 0 ? groupOf[from] : SEVERAL;
            for (int to : successors.get(from)) {
                onlyUnit[to] = onlyUnit[to] == NONE || onlyUnit[to] == unit ? unit : SEVERAL;
            }
        }
    }

    private void join() {
        boolean joined = true;
        while (joined) {
            joined = false;
            for (int from = 0; from < order.size(); from++) {
                if (groupOf[from] < 0) {
                    continue;
                }
                for (int to : successors.get(from)) {
                    if (groupOf[to] >= 0 && groupOf[to] != groupOf[from] && canJoin(groupOf[from], groupOf[to])) {
                        merge(groupOf[from], groupOf[to]);
                        joined = true;
                    }
                }
            }
        }
    }

    private void merge(int into, int other) {
        BitSet absorbed = members.remove(other);
        if (absorbed == null) {
            throw new IllegalStateException("group " + other + " is gone");
        }
        absorbed.stream().forEach(index -> groupOf[index] = into);
        group(into).or(absorbed);
    }

    private BitSet group(int number) {
        BitSet group = members.get(number);
        if (group == null) {
            throw new IllegalStateException("group " + number + " is gone");
        }
        return group;
    }

    /** Whether the union is free of ways that leave it and come back, other groups being steps of their own by now. */
    private boolean canJoin(int one, int two) {
        var union = (BitSet) group(one).clone();
        union.or(group(two));
        int last = union.length() - 1;
        var reached = new BitSet();
        var queue = new ArrayDeque<Integer>();
        union.stream().forEach(index -> leave(index, union, reached, queue, last));
        while (!queue.isEmpty()) {
            int index = queue.poll();
            Set<Integer> together = new HashSet<>();
            together.add(index);
            if (groupOf[index] >= 0) {
                group(groupOf[index]).stream().forEach(together::add);
            }
            for (int each : together) {
                for (int next : successors.get(each)) {
                    if (union.get(next)) {
                        return false;
                    }
                    visit(next, reached, queue, last, groupOf[next] >= 0);
                }
            }
        }
        return true;
    }

    private void leave(int index, BitSet union, BitSet reached, ArrayDeque<Integer> queue, int last) {
        for (int next : successors.get(index)) {
            if (!union.get(next)) {
                visit(next, reached, queue, last, groupOf[next] >= 0);
            }
        }
    }

    /** Nodes behind the last of the union cannot lead back, unless their group has a node before it. */
    private static void visit(int next, BitSet reached, ArrayDeque<Integer> queue, int last, boolean inGroup) {
        if (!reached.get(next) && (inGroup || next < last)) {
            reached.set(next);
            queue.add(next);
        }
    }

    private List<List<Node>> groups() {
        var sorted = new ArrayList<>(members.values());
        sorted.sort((a, b) -> Integer.compare(a.nextSetBit(0), b.nextSetBit(0)));
        var groups = new ArrayList<List<Node>>();
        for (BitSet group : sorted) {
            groups.add(group.stream().mapToObj(order::get).toList());
        }
        return groups;
    }
}
