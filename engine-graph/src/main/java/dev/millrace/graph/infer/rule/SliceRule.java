package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Slice: the extent of each axis from where it starts, ends and how it steps. */
final class SliceRule {
    private SliceRule() {}

    static void slice(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        boolean attributes = c.opset() < 10;
        for (int i = 1; !attributes && i < c.inputs(); i++) {
            if (c.has(i)) {
                c.dims(i, 1);
            }
        }
        List<Dim> starts = attributes ? attribute(c, "starts") : c.integers(1);
        List<Dim> ends = attributes ? attribute(c, "ends") : c.integers(2);
        if (dims == null) {
            c.set(0, c.element(0), null);
            return;
        }
        int[] axes = axes(c, dims.size(), starts, ends);
        List<Dim> steps = attributes || !c.has(4) ? null : c.integers(4);
        var result = new ArrayList<>(dims);
        if (axes == null) {
            c.set(0, c.element(0), Dims.unknown(dims.size()));
            return;
        }
        fits(c, "starts", starts, axes);
        fits(c, "ends", ends, axes);
        fits(c, "steps", steps, axes);
        for (int i = 0; i < axes.length; i++) {
            Dim start = starts == null ? Dim.UNKNOWN : starts.get(i);
            Dim end = ends == null ? Dim.UNKNOWN : ends.get(i);
            boolean stepped = !attributes && c.has(4);
            Dim step = !stepped ? Dims.ONE : steps == null ? Dim.UNKNOWN : steps.get(i);
            if (step.is(0)) {
                throw c.refuse("axis " + axes[i] + " is sliced with step 0");
            }
            result.set(axes[i], extent(dims.get(axes[i]), start, end, step));
        }
        c.set(0, c.element(0), result);
    }

    /** Operators that are written as slices. */
    static void early(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        c.set(0, c.element(0), dims == null ? null : Dims.unknown(dims.size()));
    }

    private static List<Dim> attribute(InferenceContext c, String name) {
        long[] values = c.attributes().integers(name);
        if (values == null) {
            throw c.refuse("attribute '" + name + "' is missing");
        }
        return Dims.of(values);
    }

    /** The axes that are sliced; null where they are not known. */
    private static int @Nullable [] axes(
            InferenceContext c, int rank, @Nullable List<Dim> starts, @Nullable List<Dim> ends) {
        List<Dim> counted = starts != null ? starts : ends;
        if (counted != null && counted.size() > rank) {
            throw c.refuse(counted.size() + " axes are sliced of a tensor that has " + rank);
        }
        boolean present = c.opset() < 10 ? c.attributes().has("axes") : c.has(3);
        if (present) {
            long[] axes = c.opset() < 10 ? c.attributes().integers("axes") : c.longs(3);
            return axes == null ? null : c.axes(axes, rank);
        }
        if (counted == null) {
            return null;
        }
        int[] axes = new int[counted.size()];
        Arrays.setAll(axes, i -> i);
        return axes;
    }

    private static void fits(InferenceContext c, String what, @Nullable List<Dim> values, int[] axes) {
        if (values != null && values.size() != axes.length) {
            throw c.refuse(what + " " + values + " do not fit " + axes.length + " axes");
        }
    }

    private static Dim extent(Dim dim, Dim start, Dim end, Dim step) {
        if (!(step instanceof Dim.Known by)) {
            return Dim.UNKNOWN;
        }
        if (dim instanceof Dim.Known d && start instanceof Dim.Known s && end instanceof Dim.Known e) {
            return Dim.of(count(d.extent(), s.extent(), e.extent(), by.extent()));
        }
        return by.extent() > 0 ? forward(dim, start, end, by.extent()) : backward(dim, start, end, by.extent());
    }

    private static long count(long extent, long start, long end, long step) {
        long from = first(start, extent, step);
        long to = clampedIndex(end, extent, step);
        long distance = step > 0 ? to - from : from - to;
        return distance <= 0 ? 0 : Math.ceilDiv(distance, length(step));
    }

    /** The distance of a step in either direction; that of the least long is the greatest that there is. */
    private static long length(long step) {
        return step == Long.MIN_VALUE ? Long.MAX_VALUE : Math.abs(step);
    }

    /** The indices that a slice of an axis of {@code extent} takes, in its order. */
    static LongStream indices(long extent, long start, long end, long step) {
        long first = first(start, extent, step);
        return LongStream.range(0, count(extent, start, end, step)).map(i -> first + i * step);
    }

    /** Backwards, too, no slice begins before the first index. */
    private static long first(long start, long extent, long step) {
        return extent == 0 ? clampedIndex(start, extent, step) : Math.max(0, clampedIndex(start, extent, step));
    }

    private static long clampedIndex(long index, long extent, long step) {
        long counted = index < 0 ? index + extent : index;
        return step > 0 ? Math.clamp(counted, 0, extent) : Math.clamp(counted, -1, Math.max(extent - 1, -1));
    }

    private static Dim forward(Dim dim, Dim start, Dim end, long step) {
        Dim from = place(dim, start);
        Dim to = place(dim, end);
        if (from == Dim.UNKNOWN || to == Dim.UNKNOWN) {
            return Dim.UNKNOWN;
        }
        return Dims.ceilDiv(Dims.max(Dims.sub(to, from), Dims.ZERO), step);
    }

    /** An index counted from the front and kept inside the axis. */
    private static Dim place(Dim dim, Dim index) {
        if (index instanceof Dim.Known known) {
            if (known.extent() >= Integer.MAX_VALUE) {
                return dim;
            }
            if (known.extent() < 0) {
                return known.extent() <= Integer.MIN_VALUE
                        ? Dims.ZERO
                        : Dims.max(Dims.add(dim, known.extent()), Dims.ZERO);
            }
        } else if (!Dims.isNeverNegative(index)) {
            return Dim.UNKNOWN;
        }
        return index.is(0) ? Dims.ZERO : Dims.min(index, dim);
    }

    /** Only whole axes backwards are followed through unknown extents. */
    private static Dim backward(Dim dim, Dim start, Dim end, long step) {
        boolean fromLast = start.is(-1) || start.extentOrMinusOne() >= Integer.MAX_VALUE;
        boolean toFirst = end instanceof Dim.Known known && known.extent() <= -Integer.MAX_VALUE;
        return fromLast && toFirst ? Dims.ceilDiv(dim, length(step)) : Dim.UNKNOWN;
    }
}
