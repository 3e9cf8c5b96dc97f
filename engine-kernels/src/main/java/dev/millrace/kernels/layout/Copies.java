package dev.millrace.kernels.layout;

import java.util.Arrays;

/** The copies that operators on layouts are. Tensors are dense, with the last dimension innermost. */
public final class Copies {
    private Copies() {}

    /** The distance from an element to the next one of each dimension. */
    public static long[] denseStrides(long... shape) {
        long[] strides = new long[shape.length];
        long stride = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            strides[i] = stride;
            stride = Math.multiplyExact(stride, Math.max(1, shape[i]));
        }
        return strides;
    }

    /**
     * Dimension i of the result is dimension {@code permutation[i]} of the source.
     *
     * @throws IllegalArgumentException if that is no permutation of the dimensions
     */
    public static StridedCopy transpose(int elementBytes, long[] shape, int... permutation) {
        int[] sorted = permutation.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < Math.max(shape.length, sorted.length); i++) {
            if (shape.length != sorted.length || sorted[i] != i) {
                throw new IllegalArgumentException(
                        Arrays.toString(permutation) + " is no permutation of " + shape.length + " dimensions");
            }
        }
        long[] strides = denseStrides(shape);
        long[] counts = new long[shape.length];
        long[] from = new long[shape.length];
        for (int i = 0; i < shape.length; i++) {
            counts[i] = shape[permutation[i]];
            from[i] = strides[permutation[i]];
        }
        return StridedCopy.of(elementBytes, counts, 0, denseStrides(counts), 0, from);
    }

    /** Every {@code steps[i]}-th element of dimension i from {@code starts[i]} on; steps may be negative. */
    public static StridedCopy slice(int elementBytes, long[] shape, long[] starts, long[] steps, long[] counts) {
        long[] strides = denseStrides(shape);
        long offset = 0;
        for (int i = 0; i < shape.length; i++) {
            boolean isLine = counts[i] > 1;
            long last = isLine ? Math.addExact(starts[i], Math.multiplyExact(counts[i] - 1, steps[i])) : starts[i];
            if (counts[i] > 0 && (Math.min(starts[i], last) < 0 || Math.max(starts[i], last) >= shape[i])) {
                throw new IndexOutOfBoundsException("the slice has elements " + starts[i] + " to " + last
                        + " of dimension " + i + ", which has " + shape[i]);
            }
            offset += starts[i] * strides[i];
            strides[i] = isLine ? Math.multiplyExact(strides[i], steps[i]) : 0;
        }
        return StridedCopy.of(elementBytes, counts, 0, denseStrides(counts), offset, strides);
    }

    /** Writes a tensor into a part of a larger one: what concatenation and padding are made of. */
    public static StridedCopy place(int elementBytes, long[] shape, long[] targetShape, long[] starts) {
        long[] strides = denseStrides(targetShape);
        long offset = 0;
        for (int i = 0; i < shape.length; i++) {
            if (starts[i] < 0 || starts[i] > targetShape[i] - shape[i]) {
                throw new IndexOutOfBoundsException("dimension " + i + " has " + targetShape[i] + " elements: "
                        + shape[i] + " from " + starts[i] + " on do not fit");
            }
            offset += starts[i] * strides[i];
        }
        return StridedCopy.of(elementBytes, shape, offset, strides, 0, denseStrides(shape));
    }

    /**
     * Repeats what has one element in a dimension; shorter shapes lack outer dimensions.
     *
     * @throws IllegalArgumentException if a shape cannot become the other one
     */
    public static StridedCopy expand(int elementBytes, long[] shape, long[] targetShape) {
        long[] strides = denseStrides(shape);
        long[] from = new long[targetShape.length];
        int missing = targetShape.length - shape.length;
        boolean fits = missing >= 0;
        for (int i = 0; i < targetShape.length; i++) {
            long count = i < missing ? 1 : shape[i - missing];
            fits &= count == 1 || count == targetShape[i];
            from[i] = count == 1 ? 0 : strides[i - missing];
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    Arrays.toString(shape) + " cannot be expanded to " + Arrays.toString(targetShape));
        }
        return StridedCopy.of(elementBytes, targetShape, 0, denseStrides(targetShape), 0, from);
    }

    /** Dimension i is there {@code repeats[i]} times, one behind the other. */
    public static StridedCopy tile(int elementBytes, long[] shape, long[] repeats) {
        int rank = shape.length;
        long[] counts = new long[2 * rank];
        long[] from = new long[2 * rank];
        long[] strides = denseStrides(shape);
        for (int i = 0; i < rank; i++) {
            counts[2 * i] = repeats[i];
            counts[2 * i + 1] = shape[i];
            from[2 * i + 1] = strides[i];
        }
        return StridedCopy.of(elementBytes, counts, 0, denseStrides(counts), 0, from);
    }

    /** Blocks of pixels become channels: (n, c, h, w) becomes (n, block * block * c, h / block, w / block). */
    public static StridedCopy spaceToDepth(int elementBytes, long n, long c, long h, long w, int block) {
        if (block < 1 || h % block != 0 || w % block != 0) {
            throw new IllegalArgumentException(h + "x" + w + " pixels are not made of blocks of " + block);
        }
        long[] shape = {n, c, h / block, block, w / block, block};
        return transpose(elementBytes, shape, 0, 3, 5, 1, 2, 4);
    }

    /**
     * Channels become blocks of pixels: (n, c, h, w) becomes (n, c / (block * block), h * block, w * block).
     *
     * @param columnRowDepth whether channels are (c, block, block), else (block, block, c)
     */
    public static StridedCopy depthToSpace(
            int elementBytes, long n, long c, long h, long w, int block, boolean columnRowDepth) {
        if (block < 1 || c % ((long) block * block) != 0) {
            throw new IllegalArgumentException(c + " channels are not made of blocks of " + block + "x" + block);
        }
        long depth = c / block / block;
        return columnRowDepth
                ? transpose(elementBytes, new long[] {n, depth, block, block, h, w}, 0, 1, 4, 2, 5, 3)
                : transpose(elementBytes, new long[] {n, block, block, depth, h, w}, 0, 3, 4, 1, 5, 2);
    }
}
