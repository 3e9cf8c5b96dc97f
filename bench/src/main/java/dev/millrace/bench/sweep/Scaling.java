package dev.millrace.bench.sweep;

import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Ways to make the inputs of a case larger. Which extents belong together is not known, so there are several ways, the
 * most promising first: extents that are equal grow alike, and all factors are whole, so that sums and multiples of
 * extents stay what they were.
 */
final class Scaling {
    private final List<Tensor> inputs;
    private final long elements;

    /** @param elements how many the largest input is to have, about */
    Scaling(List<Tensor> inputs, long elements) {
        this.inputs = inputs;
        this.elements = elements;
    }

    /** The new extents of each input; ways that change nothing are left out. */
    List<List<long[]>> ways() {
        var ways = new LinkedHashMap<String, List<long[]>>();
        for (boolean parameters : new boolean[] {false, true}) {
            add(ways, parameters, (axis, rank, extent) -> extent > 1);
            add(ways, parameters, (axis, rank, extent) -> axis == rank - 1 && extent > 1);
            add(ways, parameters, (axis, rank, extent) -> axis == 0);
            add(ways, parameters, (axis, rank, extent) -> axis >= 2);
            for (long extent : extents().descendingSet()) {
                add(ways, parameters, (axis, rank, other) -> other == extent);
            }
            add(ways, parameters, (axis, rank, extent) -> axis < rank - 2);
        }
        return List.copyOf(ways.values());
    }

    private TreeSet<Long> extents() {
        var extents = new TreeSet<Long>();
        for (Tensor input : inputs) {
            Arrays.stream(input.shape().toArray()).filter(extent -> extent > 0).forEach(extents::add);
        }
        return extents;
    }

    /** Whether an extent grows. */
    private interface Choice {
        boolean grows(int axis, int rank, long extent);
    }

    /** @param parameters whether short rows of numbers, which often say how to compute, grow too */
    private void add(Map<String, List<long[]>> ways, boolean parameters, Choice choice) {
        List<long[]> way = List.of();
        for (long factor = 2; factor <= elements; factor++) {
            List<long[]> next = scaled(parameters, choice, factor);
            if (largest(next) > elements * 3 / 2) {
                break;
            }
            way = next;
            if (largest(way) == largest(scaled(parameters, choice, 1))) {
                return;
            }
        }
        if (largest(way) * 4 >= elements) {
            ways.putIfAbsent(way.stream().map(Arrays::toString).toList().toString(), way);
        }
    }

    private List<long[]> scaled(boolean parameters, Choice choice, long factor) {
        var scaled = new ArrayList<long[]>();
        for (Tensor input : inputs) {
            long[] dims = input.shape().toArray();
            if (parameters || !isParameter(input)) {
                for (int axis = 0; axis < dims.length; axis++) {
                    dims[axis] *= choice.grows(axis, dims.length, dims[axis]) ? factor : 1;
                }
            }
            scaled.add(dims);
        }
        return scaled;
    }

    /** A list of integers, or a number for each axis of the first input, as scales are. */
    private boolean isParameter(Tensor input) {
        int axes = inputs.getFirst().shape().rank();
        return input.shape().rank() == 1
                && (input.type().isInteger() && input.type().bits() >= 32
                        || axes > 1 && input.shape().dim(0) == axes);
    }

    private static long largest(List<long[]> shapes) {
        return shapes.stream()
                .mapToLong(dims -> Arrays.stream(dims).reduce(1, Math::multiplyExact))
                .max()
                .orElse(0);
    }
}
