package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.List;

/** How a kernel moves over the spatial axes: what convolutions and poolings have in common. */
record WindowAttributes(List<Dim> kernel, long[] strides, long[] dilations, long[] pads, String autoPad, boolean ceil) {

    /** The window that attributes describe, for {@code axes} spatial axes and a kernel of these extents. */
    static WindowAttributes of(InferenceContext c, List<Dim> kernel) {
        int axes = kernel.size();
        long[] strides = c.integers("strides", axes, 1);
        long[] dilations = c.integers("dilations", axes, 1);
        String autoPad = c.attributes().text("auto_pad", "NOTSET");
        long[] pads =
                autoPad.equals("NOTSET") || autoPad.isEmpty() ? c.integers("pads", 2 * axes, 0) : new long[2 * axes];
        for (int i = 0; i < axes; i++) {
            if (strides[i] <= 0 || dilations[i] <= 0) {
                throw c.refuse("strides and dilations have to be positive");
            }
        }
        return new WindowAttributes(
                kernel, strides, dilations, pads, autoPad, c.attributes().isOne("ceil_mode", false));
    }

    /** The attribute {@code kernel_shape}, of which each extent is positive. */
    static List<Dim> kernelShape(InferenceContext c, int axes) {
        if (!c.attributes().has("kernel_shape")) {
            throw c.refuse("attribute 'kernel_shape' is missing");
        }
        long[] extents = c.integers("kernel_shape", axes, 1);
        for (long extent : extents) {
            if (extent <= 0) {
                throw c.refuse("attribute 'kernel_shape' has the extent " + extent);
            }
        }
        return Dims.of(extents);
    }

    /** The extents of the places that the kernel takes on {@code spatial}. */
    List<Dim> places(InferenceContext c, List<Dim> spatial) {
        var places = new ArrayList<Dim>(spatial.size());
        for (int i = 0; i < spatial.size(); i++) {
            Dim count = places(spatial.get(i), i);
            if (count instanceof Dim.Known known && known.extent() < 0) {
                throw c.refuse("the kernel " + kernel + " is larger than the padded input " + spatial);
            }
            places.add(count);
        }
        return places;
    }

    private Dim places(Dim extent, int axis) {
        Dim reach = reach(axis);
        long stride = strides[axis];
        return switch (autoPad) {
            case "SAME_UPPER", "SAME_LOWER" -> Dims.ceilDiv(extent, stride);
            case "VALID" -> Dims.add(Dims.floorDiv(Dims.sub(extent, reach), stride), 1);
            default -> {
                long end = pads[axis + kernel.size()];
                if (!ceil && stride == 1) {
                    yield moved(extent, pads[axis], end, Dims.add(reach, -1));
                }
                Dim free = moved(extent, pads[axis], end, reach);
                yield ceil ? roundedUp(extent, free, axis, end) : Dims.add(Dims.floorDiv(free, stride), 1);
            }
        };
    }

    /** A padded extent less another one. Numbers come together first: sums with names in them take longer. */
    private static Dim moved(Dim extent, long startPad, long endPad, Dim less) {
        return extent instanceof Dim.Known
                ? Dims.sub(Dims.add(Dims.add(extent, startPad), endPad), less)
                : Dims.add(extent, Dims.sub(Dims.add(Dim.of(startPad), endPad), less));
    }

    /** The extent that the dilated kernel covers. */
    Dim reach(int axis) {
        return Dims.add(Dims.mul(Dims.add(kernel.get(axis), -1), dilations[axis]), 1);
    }

    /** A last place that begins in the padding at the end does not count. */
    private Dim roundedUp(Dim extent, Dim free, int axis, long endPad) {
        long stride = strides[axis];
        Dim places = Dims.add(Dims.ceilDiv(free, stride), 1);
        if (extent instanceof Dim.Known known && places instanceof Dim.Known count) {
            boolean outside = (count.extent() - 1) * stride >= known.extent() + pads[axis];
            return outside ? Dim.of(count.extent() - 1) : places;
        }
        boolean neverOutside = reach(axis) instanceof Dim.Known reach && endPad + stride - 1 < reach.extent();
        return neverOutside ? places : Dim.UNKNOWN;
    }
}
