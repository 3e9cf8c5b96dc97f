package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * One nest of loops of an Einsum: for each letter its extent, and its stride in each operand. The innermost loop is a
 * run along the last letter that is kept where the operands are contiguous or repeated along it, else along the last
 * one that is summed.
 */
final class EinsumTerms {
    private final int inputs;
    private final long[] keptExtents;
    private final long[][] keptStrides;
    private final long[] summedExtents;
    private final long[][] summedStrides;
    private final boolean keepsRun;

    private EinsumTerms(int inputs, List<String> kept, List<String> summed, TreeMap<String, long[]> letters) {
        this.inputs = inputs;
        this.keptExtents = new long[kept.size()];
        this.keptStrides = new long[kept.size()][];
        this.summedExtents = new long[summed.size()];
        this.summedStrides = new long[summed.size()][];
        fill(kept, letters, keptExtents, keptStrides);
        fill(summed, letters, summedExtents, summedStrides);
        this.keepsRun = !kept.isEmpty() && (summed.isEmpty() || liesAlong(keptStrides[kept.size() - 1]));
    }

    private boolean liesAlong(long[] strides) {
        for (int i = 0; i < inputs; i++) {
            if (strides[i] > 1) {
                return false;
            }
        }
        return true;
    }

    /**
     * Fills in the extents and strides of letters. A letter's entry holds the strides in the inputs, then the extent.
     */
    private static void fill(List<String> names, TreeMap<String, long[]> letters, long[] extents, long[][] strides) {
        for (int i = 0; i < extents.length; i++) {
            long[] letter = letters.get(names.get(i));
            if (letter == null) {
                throw EngineException.invalidGraph("einsum: letter '" + names.get(i) + "' stands in no input");
            }
            extents[i] = letter[letter.length - 1];
            strides[i] = letter;
        }
    }

    /**
     * Returns the loops for the sums, over all letters but {@code kept}, of the products of operands with these axes.
     */
    static EinsumTerms of(List<List<String>> axes, List<Shape> shapes, List<String> kept) {
        int inputs = shapes.size();
        var letters = new TreeMap<String, long[]>();
        for (int i = 0; i < inputs; i++) {
            Shape shape = shapes.get(i);
            long[] strides = shape.strides();
            for (int axis = 0; axis < shape.rank(); axis++) {
                String name = axes.get(i).get(axis);
                long extent = shape.dim(axis);
                long[] letter = letters.computeIfAbsent(name, key -> withExtent(inputs));
                long known = letter[inputs];
                if (extent != 1 && known != 1 && extent != known) {
                    throw EngineException.invalidArgument(
                            "einsum: letter '" + name + "' is " + known + " and " + extent);
                }
                letter[inputs] = known == 1 ? extent : known;
                letter[i] += extent == 1 ? 0 : strides[axis];
            }
        }
        var summed = new ArrayList<>(letters.keySet());
        summed.removeAll(kept);
        return new EinsumTerms(inputs, kept, summed, letters);
    }

    private static long[] withExtent(int inputs) {
        long[] letter = new long[inputs + 1];
        letter[inputs] = 1;
        return letter;
    }

    /** The shape of the kept letters. */
    Shape output() {
        return Shape.of(keptExtents);
    }

    /** Whether runs are along a letter that is kept, so that each gives as many results. */
    boolean keepsRun() {
        return keepsRun;
    }

    /** The number of elements of a run. */
    long run() {
        long[] extents = keepsRun ? keptExtents : summedExtents;
        return extents.length == 0 ? 1 : extents[extents.length - 1];
    }

    /** The distance between the elements of a run in an input. */
    long runStride(int input) {
        long[][] strides = keepsRun ? keptStrides : summedStrides;
        return strides.length == 0 ? 1 : strides[strides.length - 1][input];
    }

    /** Returns the loops over results, around runs. */
    Loops outer() {
        return new Loops(keptExtents, keptStrides, keptExtents.length - (keepsRun ? 1 : 0), inputs);
    }

    /** Returns the loops over summed letters, around runs. */
    Loops summed() {
        int axes = summedExtents.length - (keepsRun || summedExtents.length == 0 ? 0 : 1);
        return new Loops(summedExtents, summedStrides, axes, inputs);
    }

    /** Loops over several letters, the last one innermost. */
    record Loops(long[] extents, long[][] strides, int axes, int inputs) {
        long steps() {
            long steps = 1;
            for (int i = 0; i < axes; i++) {
                steps *= extents[i];
            }
            return steps;
        }

        /** Adds the position of step {@code index} to the offset in each input. */
        void add(long index, long[] offsets) {
            long rest = index;
            for (int i = axes - 1; i >= 0; i--) {
                long at = rest % extents[i];
                rest /= extents[i];
                for (int input = 0; input < inputs; input++) {
                    offsets[input] += at * strides[i][input];
                }
            }
        }

        /** Advances the coordinates and offsets from a step to the next one, or from the last to the first. */
        void advance(long[] coordinates, long[] offsets) {
            for (int i = axes - 1; i >= 0; i--) {
                boolean wraps = ++coordinates[i] == extents[i];
                long steps = wraps ? 1 - extents[i] : 1;
                for (int input = 0; input < inputs; input++) {
                    offsets[input] += steps * strides[i][input];
                }
                if (!wraps) {
                    return;
                }
                coordinates[i] = 0;
            }
        }
    }

    /** The number of steps of all loops together. */
    double cost() {
        double cost = 1;
        for (long[] extents : List.of(keptExtents, summedExtents)) {
            for (long extent : extents) {
                cost *= extent;
            }
        }
        return cost;
    }
}
