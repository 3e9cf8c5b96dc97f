package dev.millrace.graph.ir;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that read a value, one that reads it twice standing here twice. A value may have tens of thousands of readers,
 * so from some on they are found by an index, and the last takes the place of one that goes.
 */
final class Users extends AbstractList<Node> {
    private static final int FEW = 32;

    private final List<Node> nodes = new ArrayList<>(2);
    /** A place of each node, once there were many; a second place of the same node may be missing. */
    private @Nullable Map<Node, Integer> places;

    @Override
    public Node get(int index) {
        return nodes.get(index);
    }

    @Override
    public int size() {
        return nodes.size();
    }

    @Override
    public boolean add(Node node) {
        modCount++;
        nodes.add(node);
        if (places != null) {
            places.put(node, nodes.size() - 1);
        } else if (nodes.size() > FEW) {
            places = new IdentityHashMap<>();
            for (int i = 0; i < nodes.size(); i++) {
                places.put(nodes.get(i), i);
            }
        }
        return true;
    }

    /** Takes out one place of {@code node}. */
    void drop(Node node) {
        int index = indexOf(node);
        if (index < 0) {
            return;
        }
        modCount++;
        Node last = nodes.getLast();
        if (places == null) {
            nodes.remove(index);
        } else {
            nodes.removeLast();
            places.remove(node);
            if (index < nodes.size()) {
                nodes.set(index, last);
                places.put(last, index);
            }
        }
    }

    private int indexOf(Node node) {
        Integer place = places == null ? null : places.get(node);
        if (place != null) {
            return place;
        }
        for (int i = nodes.size() - 1; i >= 0; i--) {
            if (nodes.get(i) == node) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public boolean removeIf(Predicate<? super Node> gone) {
        modCount++;
        places = null;
        return nodes.removeIf(gone);
    }

    @Override
    public void clear() {
        modCount++;
        places = null;
        nodes.clear();
    }
}
