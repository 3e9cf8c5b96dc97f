package dev.millrace.graph.ir;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** An index from values to their positions in a long list. */
final class Places {
    private final Map<Value, List<Integer>> places = new IdentityHashMap<>();

    void add(Value value, int place) {
        places.computeIfAbsent(value, key -> new ArrayList<>(1)).add(place);
    }

    void remove(Value value, int place) {
        List<Integer> known = places.get(value);
        if (known != null) {
            known.remove(Integer.valueOf(place));
        }
    }

    /** Records that {@code replacement} takes the positions of {@code old}, and returns these positions. */
    List<Integer> replace(Value old, Value replacement) {
        List<Integer> moved = places.remove(old);
        if (moved == null) {
            return List.of();
        }
        places.computeIfAbsent(replacement, key -> new ArrayList<>(moved.size()))
                .addAll(moved);
        return moved;
    }
}
