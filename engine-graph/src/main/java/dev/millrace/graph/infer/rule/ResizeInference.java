package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Resize and the Upsample before it: each extent times a scale, or a size. */
final class ResizeInference {
    private ResizeInference() {}

    static void upsample(InferenceContext c) {
        List<Dim> x = c.dims(0);
        float[] attribute = c.opset() < 9 ? scalesAttribute(c) : null;
        Tensor scales = c.value(1);
        float[] known = attribute != null ? attribute : scales == null ? null : scales.floats();
        c.set(0, c.element(0), x == null ? null : scaled(c, x, all(x.size()), known, null));
    }

    /** Before opset 7 an image's height and width have a scale each. */
    private static float @Nullable [] scalesAttribute(InferenceContext c) {
        if (c.opset() < 7) {
            return new float[] {
                1, 1, c.attributes().real("height_scale"), c.attributes().real("width_scale")
            };
        }
        return c.attributes().reals("scales");
    }

    static void resize(InferenceContext c) {
        List<Dim> x = c.dims(0);
        if (x == null) {
            c.set(0, c.element(0), null);
            return;
        }
        long[] named = c.attributes().integers("axes");
        int[] axes = named == null ? all(x.size()) : c.axes(named, x.size());
        int scalesAt = c.opset() < 11 ? 1 : 2;
        if (c.has(3) && !isEmpty(c, 3)) {
            c.set(0, c.element(0), sized(c, x, axes));
            return;
        }
        if (!c.has(scalesAt) || isEmpty(c, scalesAt)) {
            throw c.refuse("neither scales nor sizes are given; one of them is needed");
        }
        Tensor scales = c.value(scalesAt);
        boolean cropped = c.attributes()
                .text("coordinate_transformation_mode", "half_pixel")
                .equals("tf_crop_and_resize");
        Tensor roi = cropped ? c.value(1) : null;
        float[] regions = roi == null ? null : roi.floats();
        if (scales == null || cropped && regions == null) {
            var unknown = new ArrayList<>(x);
            for (int axis : axes) {
                unknown.set(axis, Dim.UNKNOWN);
            }
            c.set(0, c.element(0), unknown);
            return;
        }
        c.set(0, c.element(0), scaled(c, x, axes, scales.floats(), regions));
    }

    private static boolean isEmpty(InferenceContext c, int input) {
        List<Dim> dims = c.dims(input);
        return dims != null && dims.contains(Dims.ZERO);
    }

    private static int[] all(int rank) {
        int[] axes = new int[rank];
        Arrays.setAll(axes, i -> i);
        return axes;
    }

    private static List<Dim> sized(InferenceContext c, List<Dim> x, int[] axes) {
        List<Dim> sizes = c.integers(3);
        var dims = new ArrayList<>(x);
        if (sizes != null && sizes.size() != axes.length) {
            throw c.refuse("sizes " + sizes + " do not fit " + axes.length + " axes");
        }
        String policy = c.attributes().text("keep_aspect_ratio_policy", "stretch");
        float scale = policy.equals("stretch") ? 1 : commonScale(x, axes, sizes, policy.equals("not_larger"));
        for (int i = 0; i < axes.length; i++) {
            Dim size = sizes == null ? Dim.UNKNOWN : sizes.get(i);
            if (!policy.equals("stretch")) {
                long extent = x.get(axes[i]).extentOrMinusOne();
                size = Float.isNaN(scale) ? Dim.UNKNOWN : Dim.of((long) Math.floor(scale * extent + 0.5f));
            }
            if (x.get(axes[i]).is(0) && size.isKnown() && !size.is(0)) {
                throw c.refuse(
                        "axis " + axes[i] + " of shape " + x + " has nothing to make an extent of " + size + " of");
            }
            dims.set(axes[i], size);
        }
        return dims;
    }

    /** The one scale that keeps the proportions; not a number where it is not known. */
    private static float commonScale(List<Dim> x, int[] axes, @Nullable List<Dim> sizes, boolean smallest) {
        float scale = Float.NaN;
        for (int i = 0; i < axes.length; i++) {
            if (sizes == null || !sizes.get(i).isKnown() || x.get(axes[i]).extentOrMinusOne() <= 0) {
                return Float.NaN;
            }
            float ratio =
                    (float) sizes.get(i).extentOrMinusOne() / x.get(axes[i]).extentOrMinusOne();
            scale = Float.isNaN(scale) ? ratio : smallest ? Math.min(scale, ratio) : Math.max(scale, ratio);
        }
        return scale;
    }

    private static List<Dim> scaled(
            InferenceContext c, List<Dim> x, int[] axes, float @Nullable [] scales, float @Nullable [] regions) {
        if (scales == null) {
            return Dims.unknown(x.size());
        }
        if (scales.length != axes.length || regions != null && regions.length != 2 * axes.length) {
            throw c.refuse("scales " + Arrays.toString(scales) + " or regions do not fit " + axes.length + " axes");
        }
        var dims = new ArrayList<>(x);
        for (int i = 0; i < axes.length; i++) {
            if (!(scales[i] > 0)) {
                throw c.refuse("scale " + scales[i] + " is not positive");
            }
            float share = regions == null ? 1 : regions[i + axes.length] - regions[i];
            dims.set(axes[i], scaled(x.get(axes[i]), share, scales[i]));
        }
        return dims;
    }

    private static Dim scaled(Dim extent, float share, float scale) {
        if (extent instanceof Dim.Known known) {
            return Dim.of((long) Math.floor(known.extent() * share * scale));
        }
        float factor = share * scale;
        if (factor == (long) factor) {
            return Dims.mul(extent, (long) factor);
        }
        long inverse = (long) (1 / factor);
        return 1 / factor == inverse ? Dims.floorDiv(extent, inverse) : Dim.UNKNOWN;
    }
}
