package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.resize.ResizeAxis;
import dev.millrace.providers.simd.lower.LoweringContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The axes that a node resizes, by what its inputs and attributes say. */
final class ResizeAxes {
    private final LoweringContext op;
    private final Attributes attributes;
    private final Shape in;
    private final Shape out;
    private final int[] named;
    private final boolean crops;

    private ResizeAxes(LoweringContext op, boolean crops) {
        this.op = op;
        this.crops = crops;
        attributes = op.attributes();
        in = op.in(0).shape();
        out = op.out().shape();
        named = named();
    }

    /** Those that change; null where the numbers are not as many as axes. */
    static @Nullable List<ResizeAxis> of(LoweringContext op, boolean crops) {
        return new ResizeAxes(op, crops).axes();
    }

    private int[] named() {
        long[] extents = attributes.integers("axes");
        int[] axes = new int[extents == null ? in.rank() : extents.length];
        for (int i = 0; i < axes.length; i++) {
            axes[i] = extents == null ? i : Shape.axis(extents[i], in.rank());
        }
        return axes;
    }

    private @Nullable List<ResizeAxis> axes() {
        double[] scales = scales();
        double[] region = crops ? op.content(1).doubles() : new double[0];
        if (scales.length != named.length || crops && region.length != 2 * named.length) {
            return null;
        }
        var axes = new ArrayList<ResizeAxis>();
        for (int i = 0; i < named.length; i++) {
            int from = Math.toIntExact(in.dim(named[i]));
            int to = Math.toIntExact(out.dim(named[i]));
            float start = crops ? (float) region[i] : 0;
            float end = crops ? (float) region[named.length + i] : 1;
            boolean whole = start == 0 && end == 1;
            boolean stays = from == to && (crops ? whole : scales[i] == 1);
            if (!stays) {
                axes.add(new ResizeAxis(named[i], from, to, scales[i], start, end));
            }
        }
        return axes;
    }

    private double[] scales() {
        double[] numbers = fixedScales();
        if (numbers != null) {
            return numbers;
        }
        String policy = attributes.text("keep_aspect_ratio_policy", "stretch");
        boolean stretches = policy.equals("stretch");
        long[] sizes = stretches ? new long[0] : op.content(3).longs();
        double[] scales = new double[named.length];
        for (int i = 0; i < scales.length; i++) {
            long size = stretches ? out.dim(named[i]) : sizes[i];
            scales[i] = (double) size / in.dim(named[i]);
        }
        if (!stretches) {
            var all = Arrays.stream(scales);
            double common = policy.equals("not_larger")
                    ? all.min().orElse(1)
                    : all.max().orElse(1);
            Arrays.fill(scales, common);
        }
        return scales;
    }

    private double @Nullable [] fixedScales() {
        if (attributes.has("height_scale")) {
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
        int input = op.name().equals(OpName.UPSAMPLE) || op.opset() < 11 ? 1 : 2;
        return op.has(input) && op.in(input).elements() > 0 ? op.content(input).doubles() : null;
    }
}
