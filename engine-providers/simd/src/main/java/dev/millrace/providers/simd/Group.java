package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that become one instruction: a root whose result has memory, and before it nodes whose results only the group
 * reads, so that no way leads out of the group and back into it. One of them may be a product.
 */
final class Group {
    private static final int MOST_NODES = 24;

    private final Node root;
    private final Set<Node> nodes = new HashSet<>();
    private @Nullable Node product;

    private Group(Node root, @Nullable Node product) {
        this.root = root;
        this.product = product;
        nodes.add(root);
    }

    Node root() {
        return root;
    }

    @Nullable
    Node product() {
        return product;
    }

    boolean contains(@Nullable Node node) {
        return node != null && nodes.contains(node);
    }

    /** The nodes in the order of their graph. */
    List<Node> inOrder() {
        var ordered = new ArrayList<Node>();
        for (Node node = root; node != null && ordered.size() < nodes.size(); node = node.previous()) {
            if (nodes.contains(node)) {
                ordered.addFirst(node);
            }
        }
        return ordered;
    }

    /** A group of one node. */
    static Group single(Node node) {
        return new Group(node, ProductRule.of(node) == null ? null : node);
    }

    /** This group without its product, which has another root. */
    Group withoutProduct() {
        var rest = new Group(root, null);
        rest.nodes.addAll(nodes);
        rest.nodes.remove(product);
        return rest;
    }

    /** Groups all nodes whose results anything reads, in the order of their roots. */
    static List<Group> of(Graph graph) {
        Map<Node, Group> groups = new HashMap<>();
        var ordered = new ArrayList<Group>();
        for (Node node = graph.lastNode(); node != null; node = node.previous()) {
            Value output = node.requireOutput(0);
            if (!output.isUsed()) {
                continue;
            }
            Group group = onlyReader(output, groups);
            if (group == null || !group.accepts(node, output)) {
                group = single(node);
                ordered.addFirst(group);
            }
            group.add(node);
            groups.put(node, group);
        }
        return ordered;
    }

    private boolean accepts(Node node, Value output) {
        return nodes.size() < MOST_NODES
                && (product == null || ProductRule.of(node) == null)
                && output.shape() != null
                && output.shape().equals(root.requireOutput(0).shape());
    }

    private void add(Node node) {
        if (node != root) {
            nodes.add(node);
            if (ProductRule.of(node) != null) {
                product = node;
            }
        }
    }

    /** The one group that reads the value, element by element; null where it is read otherwise. */
    private static @Nullable Group onlyReader(Value value, Map<Node, Group> groups) {
        if (value.isGraphOutput()) {
            return null;
        }
        Group only = null;
        for (Node user : value.users()) {
            Group group = groups.get(user);
            boolean second = only != null && group != only;
            if (group == null || second || ProductRule.of(user) != null) {
                return null;
            }
            only = group;
        }
        return only;
    }
}
