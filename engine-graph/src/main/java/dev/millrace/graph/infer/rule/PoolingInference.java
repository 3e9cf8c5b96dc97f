package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Poolings: the places of a window on the spatial axes. */
final class PoolingInference {
    private PoolingInference() {}

    static void pool(InferenceContext c) {
        c.set(0, c.element(0), pooled(c, false));
    }

    static void maxPool(InferenceContext c) {
        List<Dim> dims = pooled(c, false);
        c.set(0, c.element(0), dims);
        c.set(1, ElementType.INT64, dims);
    }

    /** The shape after pooling; with {@code channelsLast} the spatial axes begin after the batch. */
    static @Nullable List<Dim> pooled(InferenceContext c, boolean channelsLast) {
        List<Dim> x = c.dims(0, 2, Integer.MAX_VALUE);
        if (x == null) {
            return null;
        }
        int first = channelsLast ? 1 : 2;
        int axes = x.size() - 2;
        WindowAttributes window = WindowAttributes.of(c, WindowAttributes.kernelShape(c, axes));
        var dims = new ArrayList<>(x);
        List<Dim> places = window.places(c, x.subList(first, first + axes));
        for (int i = 0; i < axes; i++) {
            dims.set(first + i, places.get(i));
        }
        return dims;
    }

    static void global(InferenceContext c) {
        c.set(0, c.element(0), globallyPooled(c, false));
    }

    static @Nullable List<Dim> globallyPooled(InferenceContext c, boolean channelsLast) {
        List<Dim> x = c.dims(0, 2, Integer.MAX_VALUE);
        if (x == null) {
            return null;
        }
        var dims = new ArrayList<>(x);
        for (int i = channelsLast ? 1 : 2; i < dims.size() - (channelsLast ? 1 : 0); i++) {
            dims.set(i, Dims.ONE);
        }
        return dims;
    }

    static void maxUnpool(InferenceContext c) {
        List<Dim> x = c.dims(0, 2, Integer.MAX_VALUE);
        if (x == null) {
            c.set(0, c.element(0), null);
            return;
        }
        OperandChecks.shape(c, 1, x);
        int axes = x.size() - 2;
        WindowAttributes window = WindowAttributes.of(c, WindowAttributes.kernelShape(c, axes));
        if (c.has(2)) {
            List<Dim> shape = c.integers(2);
            if (shape != null && shape.size() != x.size()) {
                throw c.refuse("the output shape " + shape + " does not fit input of shape " + x);
            }
            c.set(0, c.element(0), shape == null ? Dims.unknown(x.size()) : shape);
            return;
        }
        var dims = new ArrayList<>(x);
        for (int i = 0; i < axes; i++) {
            Dim spread = Dims.add(
                    Dims.mul(Dims.add(x.get(i + 2), -1), window.strides()[i]),
                    window.kernel().get(i));
            dims.set(i + 2, Dims.add(spread, -window.pads()[i] - window.pads()[i + axes]));
        }
        c.set(0, c.element(0), dims);
    }
}
