package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shape rules of convolutions: batch, output channels, and the positions of the kernel. */
final class ConvolutionInference {
    private ConvolutionInference() {}

    static void conv(InferenceContext c) {
        c.set(0, c.element(0), convolved(c, 0, 1));
        OperandChecks.count(c, 2, "a bias for each filter", c.dim(1, 0));
    }

    static void convInteger(InferenceContext c) {
        c.set(0, ElementType.INT32, convolved(c, 0, 1));
        OperandChecks.one(c, 2);
        OperandChecks.count(c, 3, "a zero point for all filters or for each", Dims.ONE, c.dim(1, 0));
    }

    static void qLinearConv(InferenceContext c) {
        c.set(0, c.element(7), convolved(c, 0, 3));
        OperandChecks.one(c, 1, 2, 6, 7);
        OperandChecks.count(c, 4, "a scale for all filters or for each", Dims.ONE, c.dim(3, 0));
        OperandChecks.count(c, 5, "a zero point for all filters or for each", Dims.ONE, c.dim(3, 0));
        OperandChecks.count(c, 8, "a bias for each filter", c.dim(3, 0));
    }

    /** Infers DeformConv: two offsets and one factor for each tap of each group of channels at each output position. */
    static void deformConv(InferenceContext c) {
        List<Dim> dims = convolved(c, 0, 1);
        c.set(0, c.element(0), dims);
        List<Dim> w = c.dims(1);
        long groups = c.attributes().integer("offset_group", 1);
        OperandChecks.divides(c, "attribute 'offset_group'", groups, c.dim(0, 1));
        OperandChecks.count(c, 3, "a bias for each filter", c.dim(1, 0));
        if (dims == null || w == null) {
            return;
        }
        Dim taps = Dims.mul(Dims.product(w.subList(2, w.size())), groups);
        OperandChecks.shape(c, 2, places(dims, Dims.mul(taps, 2)));
        OperandChecks.shape(c, 4, places(dims, taps));
    }

    /**
     * Infers the im2col matrix of DeformConv: a row for each tap of each channel, with a column for each output
     * position.
     */
    static void deformColumns(InferenceContext c) {
        long groups = c.attributes().integer("offset_group", 1);
        OperandChecks.divides(c, "attribute 'offset_group'", groups, c.dim(0, 1));
        Dim taps = Dims.mul(Dims.mul(c.dim(1, 2), c.dim(1, 3)), groups);
        OperandChecks.shape(c, 2, c.dim(0, 0), Dims.mul(taps, 2), c.dim(2, 2), c.dim(2, 3));
        OperandChecks.shape(c, 3, c.dim(0, 0), taps, c.dim(2, 2), c.dim(2, 3));
        Dim rows = Dims.mul(Dims.mul(c.dim(0, 1), c.dim(1, 2)), c.dim(1, 3));
        c.set(0, c.element(0), List.of(c.dim(0, 0), rows, Dims.mul(c.dim(2, 2), c.dim(2, 3))));
    }

    private static List<Dim> places(List<Dim> output, Dim perPlace) {
        return InferenceContext.with(output, 1, perPlace);
    }

    private static @Nullable List<Dim> convolved(InferenceContext c, int input, int weights) {
        List<Dim> x = c.dims(input, 2, Integer.MAX_VALUE);
        List<Dim> w = c.dims(weights, 2, Integer.MAX_VALUE);
        if (x != null && w != null && x.size() != w.size()) {
            throw c.refuse("input of shape " + x + " and weights of shape " + w + " have different ranks");
        }
        if (x == null || w == null) {
            return unknownLike(x, w);
        }
        List<Dim> kernel = kernel(c, w);
        long group = group(c, w.get(0), "output");
        Dim channels = Dims.mul(w.get(1), group);
        if (Dims.differ(x.get(1), channels)) {
            throw c.refuse("input of shape " + x + " and weights of shape " + w + " do not fit: with group " + group
                    + " the input needs " + channels + " channels");
        }
        var dims = new ArrayList<Dim>(x.size());
        dims.add(x.get(0));
        dims.add(w.get(0));
        dims.addAll(WindowAttributes.of(c, kernel).places(c, x.subList(2, x.size())));
        return dims;
    }

    /** Returns the attribute {@code group} after a check that it divides the channels. */
    private static long group(InferenceContext c, Dim channels, String what) {
        long group = c.attributes().integer("group", 1);
        boolean divides = !(channels instanceof Dim.Known known) || group > 0 && known.extent() % group == 0;
        if (group <= 0 || group > Integer.MAX_VALUE || !divides) {
            throw c.refuse("group " + group + " does not divide the " + channels + " " + what + " channels");
        }
        return group;
    }

    /** Returns unknown extents, as many as the shape has that is known; null where none is. */
    static @Nullable List<Dim> unknownLike(@Nullable List<Dim> x, @Nullable List<Dim> w) {
        List<Dim> known = x == null ? w : x;
        return known == null ? null : Dims.unknown(known.size());
    }

    /** Returns the spatial extents of the weights, which attribute {@code kernel_shape} may repeat. */
    private static List<Dim> kernel(InferenceContext c, List<Dim> weights) {
        List<Dim> spatial = weights.subList(2, weights.size());
        if (!c.attributes().has("kernel_shape")) {
            return spatial;
        }
        List<Dim> named = WindowAttributes.kernelShape(c, spatial.size());
        for (int i = 0; i < named.size(); i++) {
            if (Dims.differ(spatial.get(i), named.get(i))) {
                throw c.refuse("attribute 'kernel_shape' " + named + " contradicts weights of shape " + weights);
            }
        }
        return named;
    }

    static void convTranspose(InferenceContext c) {
        List<Dim> x = c.dims(0, 2, Integer.MAX_VALUE);
        List<Dim> w = c.dims(1, 2, Integer.MAX_VALUE);
        if (x != null && w != null && x.size() != w.size()) {
            throw c.refuse("input of shape " + x + " and weights of shape " + w + " have different ranks");
        }
        if (x == null || w == null) {
            c.set(0, c.element(0), unknownLike(x, w));
            return;
        }
        if (Dims.differ(x.get(1), w.get(0))) {
            throw c.refuse("input of shape " + x + " and weights of shape " + w + " differ in their channels");
        }
        Dim filters = Dims.mul(w.get(1), group(c, x.get(1), "input"));
        OperandChecks.count(c, 2, "a bias for each filter", filters);
        var dims = new ArrayList<Dim>(x.size());
        dims.add(x.get(0));
        dims.add(filters);
        dims.addAll(spread(c, x.subList(2, x.size()), kernel(c, w), x.size()));
        c.set(0, c.element(0), dims);
    }

    private static List<Dim> spread(InferenceContext c, List<Dim> spatial, List<Dim> kernel, int rank) {
        int axes = spatial.size();
        WindowAttributes window = WindowAttributes.of(c, kernel);
        long[] extra = c.integers("output_padding", axes, 0);
        long[] shape = c.attributes().integers("output_shape");
        if (shape != null) {
            if (shape.length != axes && shape.length != rank) {
                throw c.refuse(
                        "attribute 'output_shape' " + Arrays.toString(shape) + " does not fit " + axes + " axes");
            }
            return Dims.of(Arrays.copyOfRange(shape, shape.length - axes, shape.length));
        }
        var dims = new ArrayList<Dim>(axes);
        for (int i = 0; i < axes; i++) {
            if (window.autoPad().startsWith("SAME")) {
                dims.add(Dims.mul(spatial.get(i), window.strides()[i]));
                continue;
            }
            Dim full = Dims.add(Dims.mul(Dims.add(spatial.get(i), -1), window.strides()[i]), window.reach(i));
            dims.add(Dims.add(full, extra[i] - window.pads()[i] - window.pads()[i + axes]));
        }
        return dims;
    }

    static void causalConvWithState(InferenceContext c) {
        List<Dim> x = c.dims(0, 3);
        List<Dim> w = c.dims(1, 3);
        c.set(0, c.element(0), x == null ? Dims.unknown(3) : x);
        c.set(
                1,
                c.element(0),
                List.of(
                        x == null ? Dim.UNKNOWN : x.get(0),
                        x == null ? Dim.UNKNOWN : x.get(1),
                        w == null ? Dim.UNKNOWN : Dims.add(w.get(2), -1)));
    }
}
