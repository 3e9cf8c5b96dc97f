package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of a scalar or a short vector, each element an integer, an expression over extents, or unknown. Elements
 * of floating tensors are here too where they are whole numbers: extents pass through floating arithmetic in some models.
 */
public record KnownContent(List<Dim> items, boolean scalar) {
    /** Longer vectors are not followed. */
    static final int LIMIT = 256;

    /** Nor are longer ones of floating numbers: extents and scales of images are short, statistics of channels are not. */
    private static final int FLOATING_LIMIT = 16;

    public KnownContent {
        items = List.copyOf(items);
    }

    static KnownContent scalar(Dim item) {
        return new KnownContent(List.of(item), true);
    }

    static KnownContent vector(List<Dim> items) {
        return new KnownContent(items, false);
    }

    /** The content of {@code tensor}, or null where it is no short vector of numbers. */
    public static @Nullable KnownContent of(@Nullable Tensor tensor) {
        if (tensor == null
                || tensor.shape().rank() > 1
                || tensor.elements() > (tensor.type().isFloating() ? FLOATING_LIMIT : LIMIT)) {
            return null;
        }
        List<Dim> items = elements(tensor);
        return items == null ? null : new KnownContent(items, tensor.shape().rank() == 0);
    }

    /** The elements of {@code tensor} in order, or null where they are no numbers. */
    static @Nullable List<Dim> elements(Tensor tensor) {
        ElementType type = tensor.type();
        if (type.isInteger() || type == ElementType.BOOL) {
            long[] values = tensor.longs();
            var items = new ArrayList<Dim>(values.length);
            for (long value : values) {
                items.add(Dim.of(value));
            }
            return items;
        }
        if (!type.isFloating()) {
            return null;
        }
        double[] values = tensor.doubles();
        var items = new ArrayList<Dim>(values.length);
        for (double value : values) {
            items.add(value == Math.rint(value) && Math.abs(value) < 1L << 53 ? Dim.of((long) value) : Dim.UNKNOWN);
        }
        return items;
    }
}
