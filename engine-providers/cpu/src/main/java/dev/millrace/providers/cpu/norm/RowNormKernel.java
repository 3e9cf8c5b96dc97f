package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/**
 * LayerNormalization and RMSNormalization: each row, from an axis to the end, is brought to unit variance or unit root
 * mean square, then scaled and shifted by tensors that broadcast to the input.
 */
record RowNormKernel(Node node, boolean centred) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int axis = Shape.axis(node.attributes().integer("axis", -1), shape.rank());
        double epsilon = node.attributes().real("epsilon", 1e-5f);
        int length = Extents.toInt("elements of a row", shape.elements(axis, shape.rank()));
        Broadcast scale = operand(context, 1, shape);
        Broadcast shift = centred ? operand(context, 2, shape) : null;
        ElementType to = context.outputType(0);
        boolean means = context.outputCount() > 1 && context.hasOutput(1);
        boolean deviations = context.outputCount() > 2 && context.hasOutput(2);
        ElementType meanType = means ? context.outputType(1) : to;
        ElementType deviationType = deviations ? context.outputType(2) : to;
        context.mayReuse(0, 0);
        RangeTask task = (launch, from, end, scratch) -> {
            double[] row = scratch.doubles(0, length);
            double[] factor = scratch.doubles(1, length);
            for (long i = from; i < end; i++) {
                Elements.read(type, launch.input(0), i * length, row, 0, length);
                double mean = centred ? Moments.mean(row, length) : 0;
                double inverse = 1 / Math.sqrt(Moments.squares(row, length, mean) / length + epsilon);
                Moments.normalise(row, length, mean, inverse);
                if (scale != null) {
                    scale.read(launch.input(1), i * length, factor, length);
                    for (int j = 0; j < length; j++) {
                        row[j] *= factor[j];
                    }
                }
                if (shift != null) {
                    shift.read(launch.input(2), i * length, factor, length);
                    for (int j = 0; j < length; j++) {
                        row[j] += factor[j];
                    }
                }
                Elements.write(to, launch.output(0), i * length, row, 0, length);
                if (means) {
                    Elements.setDouble(meanType, launch.output(1), i, mean);
                }
                if (deviations) {
                    Elements.setDouble(deviationType, launch.output(2), i, inverse);
                }
            }
        };
        long rows = length == 0 ? 0 : shape.elements() / length;
        long grain = Math.max(1, 4096 / Math.max(1, length));
        return launch -> launch.parallelFor(rows, grain, task);
    }

    private static @Nullable Broadcast operand(BindContext context, int index, Shape shape) {
        return context.hasInput(index)
                ? Broadcast.of(context.inputType(index), context.inputShape(index), shape)
                : null;
    }
}
