package dev.millrace.providers.simd.program;

import dev.millrace.graph.tensor.Shape;
import org.jspecify.annotations.Nullable;

/** The strides of a value that is reshaped. */
final class Strides {
    private Strides() {}

    /** Returns strides of the same elements with another shape; null where a group of axes has no common stride. */
    static long @Nullable [] reshaped(Shape from, long[] strides, Shape to) {
        long[] result = new long[to.rank()];
        int a = 0;
        int b = 0;
        while (a < from.rank() || b < to.rank()) {
            int firstA = a;
            int firstB = b;
            long extentA = a < from.rank() ? from.dim(a++) : 1;
            long extentB = b < to.rank() ? to.dim(b++) : 1;
            while (extentA != extentB) {
                if (extentA < extentB) {
                    extentA *= from.dim(a++);
                } else {
                    extentB *= to.dim(b++);
                }
            }
            if (!isEven(from, strides, firstA, a)) {
                return null;
            }
            long stride = innermost(from, strides, firstA, a);
            for (int i = b - 1; i >= firstB; i--) {
                result[i] = stride;
                stride *= to.dim(i);
            }
        }
        return result;
    }

    private static boolean isEven(Shape shape, long[] strides, int from, int to) {
        long expected = -1;
        for (int i = to - 1; i >= from; i--) {
            if (shape.dim(i) == 1) {
                continue;
            }
            if (expected >= 0 && strides[i] != expected) {
                return false;
            }
            expected = strides[i] * shape.dim(i);
        }
        return true;
    }

    private static long innermost(Shape shape, long[] strides, int from, int to) {
        for (int i = to - 1; i >= from; i--) {
            if (shape.dim(i) != 1) {
                return strides[i];
            }
        }
        return 1;
    }
}
