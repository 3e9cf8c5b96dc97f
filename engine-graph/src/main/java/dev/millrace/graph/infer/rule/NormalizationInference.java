package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Normalisations that give their statistics along with the result. */
final class NormalizationInference {
    private NormalizationInference() {}

    static void layerNormalization(InferenceContext c) {
        List<Dim> statistics = statistics(c);
        OperandChecks.broadcastsTo(c, 1, c.dims(0));
        OperandChecks.broadcastsTo(c, 2, c.dims(0));
        c.set(0, c.opset() < 17 && c.element(1) != null ? c.element(1) : c.element(0), c.dims(0));
        if (c.outputs() > 1) {
            ElementType stash = c.elementAttribute("stash_type", ElementType.FLOAT);
            c.set(1, stash, statistics);
            c.set(2, stash, statistics);
        }
    }

    static void rmsNormalization(InferenceContext c) {
        List<Dim> statistics = statistics(c);
        OperandChecks.broadcastsTo(c, 1, c.dims(0));
        c.set(0, c.element(1) == null ? c.element(0) : c.element(1), c.dims(0));
        c.set(1, c.elementAttribute("stash_type", ElementType.FLOAT), statistics);
    }

    /** The shape of the input with one element in the axes that are normalised. */
    private static @Nullable List<Dim> statistics(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (dims == null) {
            return null;
        }
        int axis = c.axis(c.attributes().integer("axis", -1), dims.size());
        var statistics = new ArrayList<>(dims);
        for (int i = axis; i < dims.size(); i++) {
            statistics.set(i, Dims.ONE);
        }
        return statistics;
    }

    static void instanceNormalization(InferenceContext c) {
        List<Dim> dims = c.dims(0, 2, Integer.MAX_VALUE);
        Dim channels = dims == null ? Dim.UNKNOWN : dims.get(1);
        OperandChecks.count(c, 1, "a scale for each channel", channels);
        OperandChecks.count(c, 2, "a bias for each channel", channels);
        c.set(0, c.tensor(0));
    }

    /** Before opset 21 scale and bias are by group. */
    static void groupNormalization(InferenceContext c) {
        List<Dim> dims = c.dims(0, 2, Integer.MAX_VALUE);
        Dim channels = dims == null ? Dim.UNKNOWN : dims.get(1);
        long groups = c.attributes().integer("num_groups");
        OperandChecks.divides(c, "attribute 'num_groups'", groups, channels);
        OperandChecks.count(c, 1, "a scale for each channel or group", channels, Dim.of(groups));
        if (c.dims(1) != null) {
            OperandChecks.count(c, 2, "a bias for each scale", Dims.product(c.dims(1)));
        }
        c.set(0, c.tensor(0));
    }

    /** LRN. */
    static void neighbours(InferenceContext c) {
        c.dims(0, 2, Integer.MAX_VALUE);
        long size = c.attributes().integer("size");
        if (size < 1) {
            throw c.refuse("attribute 'size' is " + size + " where a positive number is expected");
        }
        c.set(0, c.tensor(0));
    }

    static void lpNormalization(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
        if (dims != null) {
            c.axis(c.attributes().integer("axis", -1), dims.size());
        }
        c.set(0, c.tensor(0));
    }

    static void batchNormalization(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
        Dim channels = dims == null ? Dim.UNKNOWN : dims.size() == 1 ? Dims.ONE : dims.get(1);
        for (int i = 1; i < 5; i++) {
            OperandChecks.shape(c, i, channels);
        }
        c.set(0, c.tensor(0));
        for (int i = 1; i < c.outputs(); i++) {
            int like = c.opset() < 14 ? i : i + 2;
            c.set(i, c.element(like), c.dims(like) == null ? List.of(channels) : c.dims(like));
        }
    }
}
