package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import org.jspecify.annotations.Nullable;

/** Operators that ONNX's own domain had as experiments, which converters of Core ML and Caffe2 wrote. */
final class EarlyLowerings {
    private EarlyLowerings() {}

    static @Nullable Lowering lowering(Node node) {
        return switch (node.op().name()) {
            case "ImageScaler" -> EarlyLowerings::imageScaler;
            case "Crop" -> EarlyLowerings::crop;
            case "DynamicSlice" -> c -> c.result(c.op(OpName.SLICE, c.input(0), c.input(1), c.input(2), c.find(3)));
            case "MeanVarianceNormalization" -> node.opset() < 9 ? EarlyLowerings::meanVariance : null;
            default -> null;
        };
    }

    /** A factor for all, and a bias for each channel. */
    private static void imageScaler(Composer c) {
        ElementType type = c.element(0);
        Value scaled =
                c.op(OpName.MUL, c.input(0), c.scalar(type, c.attributes().real("scale", 1f)));
        float[] bias = c.attributes().reals("bias");
        if (bias == null || bias.length == 0) {
            c.result(scaled);
            return;
        }
        double[] values = new double[bias.length];
        for (int i = 0; i < bias.length; i++) {
            values[i] = bias[i];
        }
        c.result(c.op(OpName.ADD, scaled, c.reals(type, Shape.of(bias.length, 1, 1), values)));
    }

    /** Without borders of left, top, right and bottom; a height and width take the place of the last two. */
    private static void crop(Composer c) {
        long[] border = c.attributes().integers("border");
        if (border == null || border.length != 4) {
            throw c.refuse("a border that has not four sides");
        }
        long[] scale = c.attributes().integers("scale");
        Value ends;
        if (scale != null && scale.length == 2) {
            ends = c.longs(border[1] + scale[0], border[0] + scale[1]);
        } else {
            ends = c.longs(end(border[3]), end(border[2]));
        }
        c.result(c.op(OpName.SLICE, c.input(0), c.longs(border[1], border[0]), ends, c.longs(2, 3)));
    }

    private static long end(long border) {
        return border == 0 ? Long.MAX_VALUE : -border;
    }

    /** Images less their mean, and over their deviation; each channel on its own, or all of them together. */
    private static void meanVariance(Composer c) {
        boolean together = c.attributes().flag("across_channels", false);
        long[] axes = together ? new long[] {0, 1, 2, 3} : new long[] {0, 2, 3};
        if (c.attributes().flag("normalize_variance", true)) {
            c.result(c.add(c.onnx("MeanVarianceNormalization", c.input(0)).with("axes", Attribute.of(axes))));
        } else {
            c.result(c.op(OpName.SUB, c.input(0), c.op(OpName.REDUCE_MEAN, c.input(0), c.longs(axes))));
        }
    }
}
