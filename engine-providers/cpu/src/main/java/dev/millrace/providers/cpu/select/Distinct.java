package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.providers.cpu.move.Pieces;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Unique: the distinct elements, or the distinct slices along an axis, with where they are and how often. */
final class Distinct {
    /** A boxed index, its place in two lists and in an array. */
    private static final long SLICE_BYTES = 32;

    private Distinct() {}

    static void run(DynamicContext context) {
        Tensor data = context.tensor(0);
        boolean flat = !context.node().attributes().has("axis");
        Tensor rows = flat ? data.reshaped(Shape.of(data.elements())) : data;
        int axis = flat
                ? 0
                : Shape.axis(
                        context.node().attributes().integer("axis"),
                        data.shape().rank());
        int count = Extents.table("slices to compare", rows.shape().dim(axis), SLICE_BYTES);
        Comparator<Integer> slices = bySlices(rows, axis);
        Comparator<Integer> order = (a, b) -> {
            context.checkCancelled(a);
            return slices.compare(a, b);
        };
        Integer[] sorted = new Integer[count];
        Arrays.setAll(sorted, i -> i);
        Arrays.sort(sorted, order);

        // groups in order of value; each by its first place
        List<List<Integer>> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (i == 0 || order.compare(sorted[i - 1], sorted[i]) != 0) {
                groups.add(new ArrayList<>());
            }
            groups.getLast().add(sorted[i]);
        }
        if (!context.node().attributes().flag("sorted", true)) {
            groups.sort(Comparator.comparing(List::getFirst));
        }
        long[] first = new long[groups.size()];
        long[] inverse = new long[count];
        long[] counts = new long[groups.size()];
        List<Tensor> cut = new ArrayList<>();
        for (int i = 0; i < first.length; i++) {
            context.checkCancelled(i);
            List<Integer> group = groups.get(i);
            first[i] = group.getFirst();
            counts[i] = group.size();
            for (int place : group) {
                inverse[place] = i;
            }
            cut.add(Pieces.cut(rows, axis, first[i], 1));
        }
        context.output(0, cut.isEmpty() ? rows : Pieces.join(cut, axis));
        context.output(1, Tensor.copyOf(first, first.length));
        context.output(2, Tensor.copyOf(inverse, inverse.length));
        context.output(3, Tensor.copyOf(counts, counts.length));
    }

    /** Compares the slices of two places along {@code axis}, element by element. The sort is stable, so first places lead. */
    private static Comparator<Integer> bySlices(Tensor rows, int axis) {
        Shape shape = rows.shape();
        long inner = shape.elements(axis + 1, shape.rank());
        long outer = shape.elements(0, axis);
        long extent = shape.dim(axis);
        boolean text = rows.type() == ElementType.STRING;
        return (a, b) -> {
            for (long i = 0; i < outer; i++) {
                for (long k = 0; k < inner; k++) {
                    long x = (i * extent + a) * inner + k;
                    long y = (i * extent + b) * inner + k;
                    int sign = text
                            ? Objects.compare(
                                    rows.strings()[(int) x], rows.strings()[(int) y], Comparator.naturalOrder())
                            : Long.compare(
                                    SortKey.of(rows.type(), rows.segment(), x),
                                    SortKey.of(rows.type(), rows.segment(), y));
                    if (sign != 0) {
                        return sign;
                    }
                }
            }
            return 0;
        };
    }
}
