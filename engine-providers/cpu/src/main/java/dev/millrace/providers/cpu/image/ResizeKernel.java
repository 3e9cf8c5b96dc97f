package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.Aliases;
import dev.millrace.providers.cpu.move.CellKernel;
import dev.millrace.providers.cpu.move.Cells;
import dev.millrace.providers.cpu.move.Params;
import dev.millrace.providers.cpu.move.Remap;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resize and Upsample in all their forms: nearest is a copy by tables, the others take a pass along each axis that
 * changes.
 */
final class ResizeKernel {
    private final Node node;
    private final AxisResampling.Rule rule;
    private final boolean upsample;
    private final float extrapolation;
    private final long @Nullable [] axes;
    private final String policy;

    private ResizeKernel(Node node) {
        Attributes attributes = node.attributes();
        this.node = node;
        this.upsample = node.op().name().equals(OpName.UPSAMPLE);
        boolean old = upsample || node.opset() < 11;
        String mode = attributes.text("mode", "nearest");
        this.rule = new AxisResampling.Rule(
                mode.equals("bilinear") ? "linear" : mode,
                old ? "asymmetric" : attributes.text("coordinate_transformation_mode", "half_pixel"),
                old ? "simple" : attributes.text("nearest_mode", "round_prefer_floor"),
                attributes.flag("antialias", false) && !mode.equals("nearest"),
                attributes.flag("exclude_outside", false),
                attributes.real("cubic_coeff_a", -0.75f));
        if (!List.of("nearest", "linear", "cubic").contains(rule.mode())) {
            throw EngineException.notImplemented(
                    node.describe() + ": mode '" + mode + "'; known are nearest, linear, cubic");
        }
        this.extrapolation = attributes.real("extrapolation_value", 0);
        this.axes = attributes.integers("axes");
        this.policy = attributes.text("keep_aspect_ratio_policy", "stretch");
    }

    static ShapedKernel kernel(Node node) {
        var resize = new ResizeKernel(node);
        return resize.rule.mode().equals("nearest") ? CellKernel.of(resize::nearest) : resize::weighted;
    }

    /** Returns the resampling of each axis; null for an axis that stays as it is. */
    private @Nullable AxisResampling[] plan(BindContext context) {
        Shape in = context.inputShape(0);
        Shape out = context.outputShape(0);
        int rank = in.rank();
        int[] named = Params.axes(axes, rank);
        double[] scales = scales(context, named);
        boolean crops = rule.transform().equals("tf_crop_and_resize");
        double[] roi = crops ? context.requireValue(1).doubles() : new double[0];
        if (crops && roi.length != 2 * named.length) {
            throw EngineException.invalidArgument(
                    node.describe() + ": a region of " + roi.length + " numbers for " + named.length + " axes");
        }
        @Nullable AxisResampling[] plan = new AxisResampling[rank];
        for (int i = 0; i < named.length; i++) {
            int axis = named[i];
            if (in.dim(axis) == out.dim(axis) && scales[i] == 1 && !crops) {
                continue;
            }
            double start = crops ? roi[i] : 0;
            double end = crops ? roi[named.length + i] : 1;
            if (crops && start == 0 && end == 1 && in.dim(axis) == out.dim(axis)) {
                continue;
            }
            var extent = new AxisResampling.Extent(in.dim(axis), out.dim(axis), scales[i], start, end);
            plan[axis] = AxisResampling.of(rule, extent, context::checkCancelled);
        }
        return plan;
    }

    private double[] scales(BindContext context, int[] named) {
        Shape in = context.inputShape(0);
        Shape out = context.outputShape(0);
        double[] numbers = fixedScales(context);
        if (numbers != null) {
            if (numbers.length != named.length) {
                throw EngineException.invalidArgument(
                        node.describe() + ": " + numbers.length + " scales for " + named.length + " axes");
            }
            return numbers;
        }
        double[] scales = new double[named.length];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = (double) out.dim(named[i]) / in.dim(named[i]);
        }
        if (!policy.equals("stretch")) {
            long[] sizes = context.requireValue(3).longs();
            for (int i = 0; i < scales.length; i++) {
                scales[i] = (double) sizes[i] / in.dim(named[i]);
            }
            var all = Arrays.stream(scales);
            double common = policy.equals("not_larger")
                    ? all.min().orElse(1)
                    : all.max().orElse(1);
            Arrays.fill(scales, common);
        }
        return scales;
    }

    private double @Nullable [] fixedScales(BindContext context) {
        Attributes attributes = node.attributes();
        if (upsample && attributes.has("height_scale")) {
            return new double[] {1, 1, attributes.real("height_scale"), attributes.real("width_scale")};
        }
        float[] listed = attributes.reals("scales");
        if (listed != null) {
            double[] scales = new double[listed.length];
            for (int i = 0; i < scales.length; i++) {
                scales[i] = listed[i];
            }
            return scales;
        }
        int input = upsample || node.opset() < 11 ? 1 : 2;
        if (!context.hasInput(input) || context.inputShape(input).elements() == 0) {
            return null;
        }
        Tensor scales = context.requireValue(input);
        return scales.doubles();
    }

    private Launch nearest(BindContext context) {
        Shape in = context.inputShape(0);
        @Nullable AxisResampling[] plan = plan(context);
        if (unchanged(plan)) {
            return Aliases.alias(context);
        }
        long[] @Nullable [] tables = new long[plan.length] @Nullable [];
        for (int axis = 0; axis < plan.length; axis++) {
            AxisResampling step = plan[axis];
            if (step != null) {
                tables[axis] = table(step);
            }
        }
        ElementType type = context.outputType(0);
        MemorySegment fill = MemorySegment.ofArray(new byte[16]);
        if (type != ElementType.STRING) {
            Elements.setDouble(Cells.computedAs(type), fill, 0, extrapolation);
        }
        return new Remap(Cells.size(type), in, context.outputShape(0), tables).launch(null, fill);
    }

    private static long[] table(AxisResampling axis) {
        long[] table = new long[axis.sources().length];
        for (int i = 0; i < table.length; i++) {
            boolean outside = axis.hasOutside() && axis.outside()[i];
            table[i] = outside ? Remap.FILL : axis.sources()[i];
        }
        return table;
    }

    private static boolean unchanged(@Nullable AxisResampling[] plan) {
        for (AxisResampling axis : plan) {
            if (axis != null) {
                return false;
            }
        }
        return true;
    }

    private Launch weighted(BindContext context) {
        @Nullable AxisResampling[] plan = plan(context);
        if (unchanged(plan)) {
            return Aliases.alias(context);
        }
        return new ResizePasses(context, plan, extrapolation);
    }

    static List<Integer> changed(@Nullable AxisResampling[] plan) {
        List<Integer> changed = new ArrayList<>();
        for (int axis = 0; axis < plan.length; axis++) {
            if (plan[axis] != null) {
                changed.add(axis);
            }
        }
        return changed;
    }
}
