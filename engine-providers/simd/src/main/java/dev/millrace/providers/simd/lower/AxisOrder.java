package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.program.View;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of axes in which the elements of values lie side by side, such as that of images whose channels do. */
record AxisOrder(int[] axes) {
    /** The order of all values of this shape; null where it is that of the axes, or not the same for all. */
    static @Nullable AxisOrder common(Shape shape, List<View> views) {
        AxisOrder common = null;
        for (View view : views) {
            if (!view.shape().equals(shape)) {
                continue;
            }
            AxisOrder order = view.isBlocked() || view.isDense() ? null : of(view);
            if (order == null || common != null && !Arrays.equals(order.axes, common.axes)) {
                return null;
            }
            common = order;
        }
        return common;
    }

    private static @Nullable AxisOrder of(View view) {
        Integer[] sorted = new Integer[view.shape().rank()];
        Arrays.setAll(sorted, i -> i);
        Arrays.sort(sorted, (one, other) -> Long.compare(view.strides()[other], view.strides()[one]));
        int[] axes = new int[sorted.length];
        Arrays.setAll(axes, i -> sorted[i]);
        return view.transposed(axes).isDense() ? new AxisOrder(axes) : null;
    }

    Shape of(Shape shape) {
        long[] dims = new long[axes.length];
        Arrays.setAll(dims, i -> shape.dim(axes[i]));
        return Shape.of(dims);
    }

    /** A view of values in this order, with its axes where they belong. */
    View restored(View ordered) {
        int[] inverse = new int[axes.length];
        for (int i = 0; i < axes.length; i++) {
            inverse[axes[i]] = i;
        }
        return ordered.transposed(inverse);
    }
}
