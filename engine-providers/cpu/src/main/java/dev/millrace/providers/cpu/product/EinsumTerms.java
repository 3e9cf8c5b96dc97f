package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** One nest of loops of an einsum: for each letter its extent, and its stride in each operand. */
final class EinsumTerms {
    private final int inputs;
    private final long[] keptExtents;
    private final long[][] keptStrides;
    private final long[] summedExtents;
    private final long[][] summedStrides;

    private EinsumTerms(int inputs, List<String> kept, List<String> summed, TreeMap<String, long[]> letters) {
        this.inputs = inputs;
        this.keptExtents = new long[kept.size()];
        this.keptStrides = new long[kept.size()][];
        this.summedExtents = new long[summed.size()];
        this.summedStrides = new long[summed.size()][];
        fill(kept, letters, keptExtents, keptStrides);
        fill(summed, letters, summedExtents, summedStrides);
    }

    /** Of each letter: the strides in the inputs, then the extent. */
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

    /** The sums over all letters but {@code kept} of the products of operands with these axes. */
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

    /** What is kept. */
    Shape output() {
        return Shape.of(keptExtents);
    }

    /** How many products are summed for each element that is kept. */
    long summed() {
        return Shape.of(summedExtents).elements();
    }

    /** Steps of all loops together. */
    double cost() {
        double cost = 1;
        for (long[] extents : List.of(keptExtents, summedExtents)) {
            for (long extent : extents) {
                cost *= extent;
            }
        }
        return cost;
    }

    /** Where element {@code index} of the result starts in each input. */
    void keptOffsets(long index, long[] offsets) {
        for (int input = 0; input < inputs; input++) {
            offsets[input] = offset(index, input, keptExtents, keptStrides);
        }
    }

    long summedOffset(int input, long index) {
        return offset(index, input, summedExtents, summedStrides);
    }

    private static long offset(long index, int input, long[] extents, long[][] strides) {
        long rest = index;
        long offset = 0;
        for (int i = extents.length - 1; i >= 0; i--) {
            offset += rest % extents[i] * strides[i][input];
            rest /= extents[i];
        }
        return offset;
    }
}
