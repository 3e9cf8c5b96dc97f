package dev.millrace.graph.infer.rule;

import static dev.millrace.graph.infer.rule.InferenceContext.with;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operators that lay the elements of one tensor out differently, repeat them or add to them. */
final class ShapeInference {
    private ShapeInference() {}

    static void reshape(InferenceContext c) {
        long[] attribute = c.attributes().integers("shape");
        List<Dim> target = c.opset() < 5 && attribute != null ? Dims.of(attribute) : c.integers(1);
        c.set(0, c.element(0), reshaped(c, c.dims(0), target, c.attributes().flag("allowzero", false)));
    }

    /** {@code target} with its zeros taken from {@code from} and its -1 computed. */
    private static @Nullable List<Dim> reshaped(
            InferenceContext c, @Nullable List<Dim> from, @Nullable List<Dim> target, boolean allowZero) {
        if (target == null) {
            return null;
        }
        var dims = new ArrayList<Dim>(target);
        var rest = from == null ? null : new ArrayList<Dim>(from);
        var others = new ArrayList<Dim>();
        int computed = -1;
        for (int i = 0; i < target.size(); i++) {
            Dim dim = target.get(i);
            if (dim.is(0) && !allowZero) {
                if (from != null && i >= from.size()) {
                    throw c.refuse("the shape " + target + " keeps axis " + i + ", which " + from + " does not have");
                }
                dims.set(i, from == null ? Dim.UNKNOWN : from.get(i));
                if (rest != null) {
                    rest.set(i, Dims.ONE);
                }
            } else if (dim.is(-1)) {
                if (computed >= 0) {
                    throw c.refuse("the shape " + target + " leaves two extents open; only one can be computed");
                }
                computed = i;
            } else if (dim instanceof Dim.Known known && known.extent() < 0) {
                throw c.refuse("the shape " + target + " has the negative extent " + known);
            } else {
                others.add(dim);
            }
        }
        if (computed < 0) {
            completeOne(c, dims, from);
            return dims;
        }
        dims.set(computed, rest == null ? Dim.UNKNOWN : quotient(c, rest, others, from, target));
        return dims;
    }

    private static Dim quotient(
            InferenceContext c, List<Dim> rest, List<Dim> others, @Nullable List<Dim> from, List<Dim> target) {
        cancel(rest, others);
        Dim elements = Dims.product(rest);
        Dim divisor = Dims.product(others);
        if (elements.isKnown() && divisor.isKnown()) {
            Dim exact = divisor.is(0) ? elements.is(0) ? Dims.ZERO : null : Dims.divideExactly(elements, divisor);
            if (exact == null) {
                throw c.refuse("shape " + from + " cannot be read as " + target);
            }
            return exact;
        }
        return Dims.floorDiv(elements, divisor);
    }

    /** Removes what stands on both sides, unknown extents excepted. */
    private static void cancel(List<Dim> rest, List<Dim> others) {
        others.removeIf(dim -> dim != Dim.UNKNOWN && !dim.is(0) && rest.remove(dim));
    }

    /** Checks a full target, and finds its one extent that is not known where the elements say it. */
    private static void completeOne(InferenceContext c, List<Dim> dims, @Nullable List<Dim> from) {
        if (from == null) {
            return;
        }
        if (from.stream().allMatch(Dim::isKnown) && dims.stream().allMatch(Dim::isKnown)) {
            if (Dims.differ(Dims.product(from), Dims.product(dims))) {
                throw c.refuse("shape " + from + " cannot be read as " + dims);
            }
            return;
        }
        int open = dims.indexOf(Dim.UNKNOWN);
        if (open < 0 || open != dims.lastIndexOf(Dim.UNKNOWN)) {
            return;
        }
        var others = new ArrayList<>(dims);
        others.remove(open);
        var rest = new ArrayList<>(from);
        cancel(rest, others);
        Dim exact = Dims.divideExactly(Dims.product(rest), Dims.product(others));
        if (exact != null) {
            dims.set(open, exact);
        }
    }

    static void flatten(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (dims == null) {
            c.set(0, c.element(0), Dims.unknown(2));
            return;
        }
        long axis = c.attributes().integer("axis", 1);
        int at = axis == dims.size() ? dims.size() : c.axis(axis, dims.size());
        c.set(0, c.element(0), List.of(Dims.product(dims.subList(0, at)), Dims.product(dims.subList(at, dims.size()))));
    }

    static void squeeze(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        boolean present = c.opset() < 13 ? c.attributes().has("axes") : c.has(1);
        long[] axes = c.opset() < 13 ? c.attributes().integers("axes") : c.longs(1);
        if (dims == null || present && axes == null || !present && dims.stream().anyMatch(dim -> !dim.isKnown())) {
            List<Dim> counted = present && c.opset() >= 13 ? c.integers(1) : null;
            c.set(0, c.element(0), dims == null || counted == null ? null : fewer(c, dims, counted.size()));
            return;
        }
        boolean[] dropped = new boolean[dims.size()];
        if (axes == null) {
            for (int i = 0; i < dropped.length; i++) {
                dropped[i] = dims.get(i).is(1);
            }
        } else {
            for (int axis : c.axes(axes, dims.size())) {
                if (dims.get(axis).isKnown() && !dims.get(axis).is(1)) {
                    throw c.refuse("axis " + axis + " of shape " + dims + " is not 1 and cannot be dropped");
                }
                dropped[axis] = true;
            }
        }
        var kept = new ArrayList<Dim>();
        for (int i = 0; i < dropped.length; i++) {
            if (!dropped[i]) {
                kept.add(dims.get(i));
            }
        }
        c.set(0, c.element(0), kept);
    }

    private static List<Dim> fewer(InferenceContext c, List<Dim> dims, int count) {
        if (count > dims.size()) {
            throw c.refuse(count + " axes cannot be dropped of shape " + dims);
        }
        if (count == dims.size() && dims.stream().anyMatch(dim -> dim.isKnown() && !dim.is(1))) {
            throw c.refuse("not every axis of shape " + dims + " is 1, and all are to be dropped");
        }
        return Dims.unknown(dims.size() - count);
    }

    static void unsqueeze(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        long[] axes = c.opset() < 13 ? c.attributes().integers("axes") : c.longs(1);
        if (axes == null && c.opset() < 13) {
            throw c.refuse("attribute 'axes' is missing");
        }
        if (dims == null || axes == null) {
            List<Dim> counted = axes == null ? c.integers(1) : null;
            c.set(0, c.element(0), dims == null || counted == null ? null : Dims.unknown(dims.size() + counted.size()));
            return;
        }
        int rank = dims.size() + axes.length;
        var result = new ArrayList<@Nullable Dim>(Collections.nCopies(rank, null));
        for (int axis : c.axes(axes, rank)) {
            result.set(axis, Dims.ONE);
        }
        var filled = new ArrayList<Dim>(rank);
        int next = 0;
        for (Dim dim : result) {
            filled.add(dim == null ? dims.get(next++) : dim);
        }
        c.set(0, c.element(0), filled);
    }

    static void transpose(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        long[] perm = c.attributes().integers("perm");
        if (dims == null) {
            c.set(0, c.element(0), perm == null ? null : Dims.unknown(perm.length));
            return;
        }
        if (perm == null) {
            c.set(0, c.element(0), dims.reversed());
            return;
        }
        if (perm.length != dims.size()) {
            throw c.refuse("attribute 'perm' " + Arrays.toString(perm) + " does not fit shape " + dims);
        }
        var permuted = new ArrayList<Dim>(dims.size());
        for (int axis : c.axes(perm, dims.size())) {
            permuted.add(dims.get(axis));
        }
        c.set(0, c.element(0), permuted);
    }

    static void shape(InferenceContext c) {
        List<Dim> taken = shapeContent(c);
        c.set(0, ElementType.INT64, taken == null ? Dims.unknown(1) : Dims.of(taken.size()));
    }

    /** The extents that a Shape node gives. */
    static @Nullable List<Dim> shapeContent(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (dims == null) {
            return null;
        }
        int rank = dims.size();
        long start = c.attributes().integer("start", 0);
        long end = c.attributes().integer("end", rank);
        int from = (int) Math.clamp(start < 0 ? start + rank : start, 0, rank);
        int to = (int) Math.clamp(end < 0 ? end + rank : end, 0, rank);
        return dims.subList(from, Math.max(from, to));
    }

    static void expand(InferenceContext c) {
        c.set(0, c.element(0), Dims.broadcast(c.dims(0), c.integers(1), c));
    }

    static void tile(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (dims == null) {
            c.set(0, c.element(0), null);
            return;
        }
        if (c.opset() < 6) {
            Dim tiles = c.integer(1);
            Dim axis = c.integer(2);
            c.set(
                    0,
                    c.element(0),
                    axis instanceof Dim.Known known
                            ? with(
                                    dims,
                                    c.axis(known.extent(), dims.size()),
                                    Dims.mul(dims.get(c.axis(known.extent(), dims.size())), tiles))
                            : Dims.unknown(dims.size()));
            return;
        }
        List<Dim> repeats = c.integers(1);
        if (repeats != null && repeats.size() != dims.size()) {
            throw c.refuse("repeats " + repeats + " do not fit shape " + dims);
        }
        var tiled = new ArrayList<Dim>(dims.size());
        for (int i = 0; i < dims.size(); i++) {
            tiled.add(repeats == null ? Dim.UNKNOWN : Dims.mul(dims.get(i), repeats.get(i)));
        }
        c.set(0, c.element(0), tiled);
    }

    static void pad(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (c.opset() >= 11) {
            OperandChecks.one(c, 2);
        }
        if (dims == null) {
            c.set(0, c.element(0), null);
            return;
        }
        long[] attribute = c.opset() < 2
                ? c.attributes().integers("paddings")
                : c.attributes().integers("pads");
        List<Dim> pads = c.opset() < 11 ? attribute == null ? null : Dims.of(attribute) : c.integers(1);
        long[] named = c.opset() < 18 || !c.has(3) ? null : c.longs(3);
        if (pads == null || c.opset() >= 18 && c.has(3) && named == null) {
            c.set(0, c.element(0), Dims.unknown(dims.size()));
            return;
        }
        int count = named == null ? dims.size() : named.length;
        if (pads.size() != 2 * count) {
            throw c.refuse("pads " + pads + " do not fit " + count + " axes; two for each are needed");
        }
        int[] axes = named == null ? null : c.axes(named, dims.size());
        var padded = new ArrayList<>(dims);
        for (int i = 0; i < count; i++) {
            int axis = axes == null ? i : axes[i];
            padded.set(axis, Dims.add(dims.get(axis), Dims.add(pads.get(i), pads.get(i + count))));
        }
        c.set(0, c.element(0), padded);
    }

    static void trilu(InferenceContext c) {
        c.dims(0, 2, Integer.MAX_VALUE);
        OperandChecks.one(c, 1);
        c.set(0, c.tensor(0));
    }

    static void depthToSpace(InferenceContext c) {
        List<Dim> dims = c.dims(0, 4);
        long block = block(c);
        if (dims == null) {
            c.set(0, c.element(0), Dims.unknown(4));
            return;
        }
        c.set(
                0,
                c.element(0),
                List.of(
                        dims.get(0),
                        divided(c, dims.get(1), block * block),
                        Dims.mul(dims.get(2), block),
                        Dims.mul(dims.get(3), block)));
    }

    static void spaceToDepth(InferenceContext c) {
        List<Dim> dims = c.dims(0, 4);
        long block = block(c);
        if (dims == null) {
            c.set(0, c.element(0), Dims.unknown(4));
            return;
        }
        c.set(
                0,
                c.element(0),
                List.of(
                        dims.get(0),
                        Dims.mul(dims.get(1), block * block),
                        divided(c, dims.get(2), block),
                        divided(c, dims.get(3), block)));
    }

    private static long block(InferenceContext c) {
        long block = c.attributes().integer("blocksize");
        if (block <= 0 || block > Integer.MAX_VALUE) {
            throw c.refuse("attribute 'blocksize' is " + block + " where a positive number below 2^31 is expected");
        }
        return block;
    }

    private static Dim divided(InferenceContext c, Dim dim, long by) {
        Dim exact = Dims.divideExactly(dim, Dim.of(by));
        if (exact == null && dim.isKnown()) {
            throw c.refuse("extent " + dim + " cannot be divided by " + by);
        }
        return exact == null ? Dims.floorDiv(dim, by) : exact;
    }

    static void centerCropPad(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        List<Dim> target = c.integers(1);
        long[] named = c.attributes().integers("axes");
        if (dims == null || target == null) {
            c.set(0, c.element(0), dims == null ? null : Dims.unknown(dims.size()));
            return;
        }
        int count = named == null ? dims.size() : named.length;
        if (target.size() != count) {
            throw c.refuse("shape " + target + " does not fit " + count + " axes");
        }
        int[] axes = named == null ? null : c.axes(named, dims.size());
        var result = new ArrayList<>(dims);
        for (int i = 0; i < count; i++) {
            result.set(axes == null ? i : axes[i], target.get(i));
        }
        c.set(0, c.element(0), result);
    }
}
