package dev.millrace.graph.infer.rule;

import static dev.millrace.graph.infer.rule.InferenceContext.with;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Operators that pick elements by index or condition, or put them at indices. */
final class GatherInference {
    private GatherInference() {}

    static void gather(InferenceContext c) {
        List<Dim> data = c.dims(0, 1, Integer.MAX_VALUE);
        List<Dim> indices = c.dims(1);
        if (data == null || indices == null) {
            c.set(0, c.element(0), null);
            return;
        }
        int axis = c.axis(c.attributes().integer("axis", 0), data.size());
        var dims = new ArrayList<>(data.subList(0, axis));
        dims.addAll(indices);
        dims.addAll(data.subList(axis + 1, data.size()));
        c.set(0, c.element(0), dims);
    }

    static void gatherElements(InferenceContext c) {
        sameRank(c, 0, 1);
        c.set(0, c.element(0), c.dims(1));
    }

    private static void sameRank(InferenceContext c, int a, int b) {
        List<Dim> x = c.dims(a);
        List<Dim> y = c.dims(b);
        if (x != null && y != null && x.size() != y.size()) {
            throw c.refuse("inputs " + a + " and " + b + " have shapes " + x + " and " + y
                    + " where equal ranks are expected");
        }
        if (x != null) {
            c.axis(c.attributes().integer("axis", 0), x.size());
        }
    }

    static void gatherNd(InferenceContext c) {
        List<Dim> data = c.dims(0, 1, Integer.MAX_VALUE);
        List<Dim> indices = c.dims(1, 1, Integer.MAX_VALUE);
        int batch = batchDims(c, data, indices);
        if (data == null || indices == null || !(indices.getLast() instanceof Dim.Known tuple)) {
            c.set(0, c.element(0), null);
            return;
        }
        boolean otherBatches = IntStream.range(0, batch).anyMatch(i -> Dims.differ(data.get(i), indices.get(i)));
        if (otherBatches || tuple.extent() < 1 || tuple.extent() > data.size() - batch) {
            throw c.refuse("indices of shape " + indices + " do not fit data of shape " + data
                    + (batch == 0 ? "" : " with " + batch + " dimensions of batches"));
        }
        var dims = new ArrayList<>(indices.subList(0, indices.size() - 1));
        dims.addAll(data.subList(batch + (int) tuple.extent(), data.size()));
        c.set(0, c.element(0), dims);
    }

    /** How many axes of batches come first, fewer than either operand has. */
    private static int batchDims(InferenceContext c, @Nullable List<Dim> data, @Nullable List<Dim> indices) {
        long batch = c.attributes().integer("batch_dims", 0);
        int most = Integer.MAX_VALUE;
        for (List<Dim> operand : Arrays.asList(data, indices)) {
            most = operand == null ? most : Math.min(most, operand.size() - 1);
        }
        if (batch < 0 || batch > most) {
            throw c.refuse("attribute 'batch_dims' is " + batch + " where 0 to " + most
                    + " is expected, fewer than the axes of input 0, " + described(data) + ", and of input 1, "
                    + described(indices));
        }
        return (int) batch;
    }

    private static String described(@Nullable List<Dim> dims) {
        return dims == null ? "whose rank is not known" : "of shape " + dims;
    }

    static void scatterElements(InferenceContext c) {
        sameRank(c, 0, 1);
        sameRank(c, 1, 2);
        c.set(0, c.tensor(0));
    }

    static void scatterNd(InferenceContext c) {
        List<Dim> data = c.dims(0, 1, Integer.MAX_VALUE);
        List<Dim> indices = c.dims(1, 1, Integer.MAX_VALUE);
        if (data != null && indices != null && indices.getLast().extentOrMinusOne() > data.size()) {
            throw c.refuse("indices of shape " + indices + " do not fit data of shape " + data);
        }
        c.set(0, c.tensor(0));
    }

    static void compress(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        c.dims(1, 1);
        if (!c.attributes().has("axis")) {
            c.set(0, c.element(0), Dims.unknown(1));
            return;
        }
        c.set(
                0,
                c.element(0),
                dims == null ? null : with(dims, c.axis(c.attributes().integer("axis"), dims.size()), Dim.UNKNOWN));
    }

    static void nonZero(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        Dim axes = dims == null || dims.isEmpty() ? Dim.UNKNOWN : Dim.of(dims.size());
        c.set(0, ElementType.INT64, List.of(axes, Dim.UNKNOWN));
    }

    static void unique(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        Dim all = Dim.UNKNOWN;
        if (!c.attributes().has("axis")) {
            all = dims == null ? Dim.UNKNOWN : Dims.product(dims);
            c.set(0, c.element(0), Dims.unknown(1));
        } else if (dims == null) {
            c.set(0, c.element(0), null);
        } else {
            int axis = c.axis(c.attributes().integer("axis"), dims.size());
            all = dims.get(axis);
            c.set(0, c.element(0), with(dims, axis, Dim.UNKNOWN));
        }
        c.set(1, ElementType.INT64, Dims.unknown(1));
        c.set(2, ElementType.INT64, List.of(all));
        c.set(3, ElementType.INT64, Dims.unknown(1));
    }

    /** Axes 0 and 1 are time and batch, in either order. */
    static void reverseSequence(InferenceContext c) {
        List<Dim> dims = c.dims(0, 2, Integer.MAX_VALUE);
        long time = c.attributes().integer("time_axis", 0);
        long batch = c.attributes().integer("batch_axis", 1);
        if (Math.min(time, batch) != 0 || Math.max(time, batch) != 1) {
            throw c.refuse("attributes 'time_axis' and 'batch_axis' are " + time + " and " + batch
                    + " where 0 and 1 are expected, in either order");
        }
        OperandChecks.shape(c, 1, dims == null ? Dim.UNKNOWN : dims.get((int) batch));
        c.set(0, c.tensor(0));
    }

    /** TensorScatter: an update for each batch, no longer than the axis that it is written along. */
    static void tensorScatter(InferenceContext c) {
        List<Dim> cache = c.dims(0, 2, Integer.MAX_VALUE);
        List<Dim> update = c.dims(1);
        if (cache != null) {
            int axis = c.axis(c.attributes().integer("axis", -2), cache.size());
            if (axis == 0) {
                throw c.refuse("axis 0 is the batch and cannot be written along");
            }
            Dim length = update == null || update.size() != cache.size() ? Dim.UNKNOWN : update.get(axis);
            if (length instanceof Dim.Known x && cache.get(axis) instanceof Dim.Known y && x.extent() > y.extent()) {
                throw c.refuse("an update of shape " + update + " is longer than the cache of shape " + cache);
            }
            OperandChecks.shape(c, 1, with(cache, axis, length));
            OperandChecks.shape(c, 2, cache.getFirst());
        }
        c.set(0, c.tensor(0));
    }

    static void topK(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
        Dim k = c.opset() < 10 ? Dim.of(c.attributes().integer("k")) : c.integer(1);
        OperandChecks.one(c, 1);
        List<Dim> top = null;
        if (dims != null) {
            int axis = c.axis(c.attributes().integer("axis", -1), dims.size());
            if (k.isKnown()
                    && dims.get(axis).isKnown()
                    && k.extentOrMinusOne() > dims.get(axis).extentOrMinusOne()) {
                throw c.refuse("k is " + k + ", but axis " + axis + " of shape " + dims + " has fewer elements");
            }
            top = with(dims, axis, k);
        }
        c.set(0, c.element(0), top);
        c.set(1, ElementType.INT64, top);
    }

    static void oneHot(InferenceContext c) {
        List<Dim> indices = c.dims(0);
        if (indices == null) {
            c.set(0, c.element(2), null);
            return;
        }
        int axis = c.axis(c.attributes().integer("axis", -1), indices.size() + 1);
        OperandChecks.one(c, 1);
        OperandChecks.shape(c, 2, Dim.of(2));
        var dims = new ArrayList<>(indices);
        dims.add(axis, c.integer(1));
        c.set(0, c.element(2), dims);
    }
}
