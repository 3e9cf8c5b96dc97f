package dev.millrace.providers.partition;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    /** The group of each node, which is called by one of its members, or {@link #NONE}. */
    private final int[] groupOf;
    /** The members of the group that is called by this index. */
    private final int[][] members;

    private final int[] sizes;

    private ConvexGroups(Graph graph, Collection<Node> wanted) {
        for (Node node : graph.nodes()) {
            indexOf.put(node, order.size());
            order.add(node);
        }
        for (Node node : order) {
            successors.add(successors(graph, node));
        }
        groupOf = new int[order.size()];
        members = new int[order.size()][];
        sizes = new int[order.size()];
        Arrays.fill(groupOf, NONE);
        for (Node node : wanted) {
            int index = index(node);
            groupOf[index] = index;
            members[index] = new int[] {index};
            sizes[index] = 1;
        }
    }

    /** The groups, each in topological order, the groups by their first node. */
    static List<List<Node>> of(Graph graph, Collection<Node> wanted) {
        var cut = new ConvexGroups(graph, wanted);
        cut.joinToOnlyProducers();
        cut.joinToOnlyReaders();
        cut.join();
        return cut.groups();
    }

    private int[] successors(Graph graph, Node node) {
        List<Node> readers = node.readersIn(graph);
        int[] indices = new int[readers.size()];
        for (int i = 0; i < indices.length; i++) {
            indices[i] = index(readers.get(i));
        }
        Arrays.sort(indices);
        return indices;
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
        int[] onlyProducer = new int[order.size()];
        Arrays.fill(onlyProducer, NONE);
        for (int from = 0; from < order.size(); from++) {
            if (groupOf[from] >= 0 && onlyProducer[from] >= 0) {
                merge(groupOf[onlyProducer[from]], groupOf[from]);
            }
            for (int to : successors.get(from)) {
                boolean same = onlyProducer[to] == NONE
                        || onlyProducer[to] >= 0 && groupOf[from] >= 0 && groupOf[onlyProducer[to]] == groupOf[from];
                onlyProducer[to] = same && groupOf[from] >= 0 ? from : SEVERAL;
            }
        }
    }

    /** Joins nodes, still alone, that are read by one group and by nothing else: no way leads out of them to elsewhere. */
    private void joinToOnlyReaders() {
        for (int from = order.size() - 1; from >= 0; from--) {
            int[] readers = successors.get(from);
            if (groupOf[from] < 0 || sizes[groupOf[from]] > 1 || readers.length == 0) {
                continue;
            }
            int group = groupOf[readers[0]];
            if (group >= 0 && Arrays.stream(readers).allMatch(reader -> groupOf[reader] == group)) {
                merge(group, groupOf[from]);
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

    /** Makes one group of two: the smaller one's members change over, so that no node does so often. */
    private void merge(int one, int two) {
        int into = sizes[one] >= sizes[two] ? one : two;
        int other = into == one ? two : one;
        int size = sizes[into] + sizes[other];
        if (size > members[into].length) {
            members[into] = Arrays.copyOf(members[into], 2 * size);
        }
        System.arraycopy(members[other], 0, members[into], sizes[into], sizes[other]);
        for (int i = 0; i < sizes[other]; i++) {
            groupOf[members[other][i]] = into;
        }
        sizes[into] = size;
        sizes[other] = 0;
        members[other] = new int[0];
    }

    /** Whether the union is free of ways that leave it and come back, other groups being steps of their own by now. */
    private boolean canJoin(int one, int two) {
        int last = Math.max(last(one), last(two));
        var reached = new BitSet();
        var queue = new ArrayDeque<Integer>();
        leave(one, one, two, reached, queue, last);
        leave(two, one, two, reached, queue, last);
        while (!queue.isEmpty()) {
            int index = queue.poll();
            int group = groupOf[index];
            int count = group < 0 ? 1 : sizes[group];
            for (int i = 0; i < count; i++) {
                for (int next : successors.get(group < 0 ? index : members[group][i])) {
                    if (groupOf[next] >= 0 && (groupOf[next] == one || groupOf[next] == two)) {
                        return false;
                    }
                    visit(next, reached, queue, last);
                }
            }
        }
        return true;
    }

    private int last(int group) {
        int last = NONE;
        for (int i = 0; i < sizes[group]; i++) {
            last = Math.max(last, members[group][i]);
        }
        return last;
    }

    private void leave(int group, int one, int two, BitSet reached, ArrayDeque<Integer> queue, int last) {
        for (int i = 0; i < sizes[group]; i++) {
            for (int next : successors.get(members[group][i])) {
                if (groupOf[next] < 0 || groupOf[next] != one && groupOf[next] != two) {
                    visit(next, reached, queue, last);
                }
            }
        }
    }

    /** Nodes behind the last of the union cannot lead back, unless their group has a node before it. */
    private void visit(int next, BitSet reached, ArrayDeque<Integer> queue, int last) {
        int group = groupOf[next];
        int place = group < 0 ? next : group;
        if (!reached.get(place) && (group >= 0 || next < last)) {
            reached.set(place);
            queue.add(next);
        }
    }

    private List<List<Node>> groups() {
        var groups = new LinkedHashMap<Integer, List<Node>>();
        for (int i = 0; i < order.size(); i++) {
            if (groupOf[i] >= 0) {
                groups.computeIfAbsent(groupOf[i], key -> new ArrayList<>()).add(order.get(i));
            }
        }
        return List.copyOf(groups.values());
    }
}
