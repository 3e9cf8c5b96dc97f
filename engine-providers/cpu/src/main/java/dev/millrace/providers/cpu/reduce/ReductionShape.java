package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.tensor.Shape;
import java.util.Arrays;

/**
 * How a reduction walks its input. Neighbouring axes of one kind are merged; the innermost is a run that is either
 * folded to one element or kept as a row of {@code width} results.
 *
 * @param width results of one item: 1, or the extent of a kept innermost axis
 * @param run elements of one run
 * @param items kept positions outside the run
 * @param steps folded positions outside the run
 */
record ReductionShape(
        long width,
        long run,
        long items,
        long steps,
        long[] keptExtents,
        long[] keptStrides,
        long[] foldedExtents,
        long[] foldedStrides) {

    static ReductionShape of(Shape shape, boolean[] folded) {
        int rank = shape.rank();
        long[] strides = shape.strides();
        long[][] extents = new long[2][rank + 1];
        long[][] steps = new long[2][rank + 1];
        int[] used = new int[2];
        int previous = -1;
        for (int axis = rank - 1; axis >= 0; axis--) {
            if (shape.dim(axis) == 1) {
                continue;
            }
            int kind = folded[axis] ? 1 : 0;
            if (previous == kind) {
                extents[kind][used[kind] - 1] *= shape.dim(axis);
            } else {
                extents[kind][used[kind]] = shape.dim(axis);
                steps[kind][used[kind]++] = strides[axis];
            }
            previous = kind;
        }
        boolean rowOfResults = used[0] > 0 && (used[1] == 0 || steps[0][0] < steps[1][0]);
        boolean runFolded = !rowOfResults && used[1] > 0;
        long run = rowOfResults ? extents[0][0] : runFolded ? extents[1][0] : 1;
        long[] keptExtents = tail(extents[0], rowOfResults ? 1 : 0, used[0]);
        long[] foldedExtents = tail(extents[1], runFolded ? 1 : 0, used[1]);
        return new ReductionShape(
                rowOfResults ? run : 1,
                run,
                product(keptExtents),
                product(foldedExtents),
                keptExtents,
                tail(steps[0], rowOfResults ? 1 : 0, used[0]),
                foldedExtents,
                tail(steps[1], runFolded ? 1 : 0, used[1]));
    }

    private static long[] tail(long[] array, int from, int to) {
        return Arrays.copyOfRange(array, from, Math.max(from, to));
    }

    private static long product(long[] extents) {
        long product = 1;
        for (long extent : extents) {
            product *= extent;
        }
        return product;
    }

    long itemStart(long item) {
        return offset(item, keptExtents, keptStrides);
    }

    long stepOffset(long step) {
        return offset(step, foldedExtents, foldedStrides);
    }

    private static long offset(long index, long[] extents, long[] strides) {
        long rest = index;
        long offset = 0;
        for (int i = 0; i < extents.length && rest != 0; i++) {
            offset += rest % extents[i] * strides[i];
            rest /= extents[i];
        }
        return offset;
    }
}
