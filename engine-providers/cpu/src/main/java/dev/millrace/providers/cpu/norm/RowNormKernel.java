package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.reduce.Lanes;
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
        int length = ArrayExtents.toInt("elements of a row", shape.elements(axis, shape.rank()));
        Broadcast scale = operand(context, 1, shape);
        Broadcast shift = centred ? operand(context, 2, shape) : null;
        boolean rowsWanted = context.hasOutput(0);
        ElementType to = rowsWanted ? context.outputType(0) : type;
        boolean means = context.outputCount() > 1 && context.hasOutput(1);
        boolean deviations = context.outputCount() > 2 && context.hasOutput(2);
        ElementType meanType = means ? context.outputType(1) : to;
        ElementType deviationType = deviations ? context.outputType(2) : to;
        long rows = length == 0 ? 0 : shape.elements() / length;
        Lanes lanes = Lanes.along(Shape.of(rows, length), 1);
        if (rowsWanted) {
            context.mayReuse(0, 0);
        }
        RangeTask task = (launch, from, end, scratch) -> {
            double[] row = scratch.doubles(0, length);
            double[] operand = scratch.doubles(1, Math.min(length, Moments.AT_ONCE));
            for (long i = from; i < end; i++) {
                lanes.read(launch, type, launch.input(0), i, row);
                double mean = centred ? Moments.mean(launch, row, length) : 0;
                double inverse = 1 / Math.sqrt(Moments.squares(launch, row, length, mean) / length + epsilon);
                Moments.normalise(launch, row, 0, length, mean, inverse, 0);
                for (int at = 0; rowsWanted && at < length; at += Moments.AT_ONCE) {
                    launch.checkCancelled();
                    int count = Math.min(Moments.AT_ONCE, length - at);
                    if (scale != null) {
                        scale.read(launch.input(1), i * length + at, operand, count);
                        for (int j = 0; j < count; j++) {
                            row[at + j] *= operand[j];
                        }
                    }
                    if (shift != null) {
                        shift.read(launch.input(2), i * length + at, operand, count);
                        for (int j = 0; j < count; j++) {
                            row[at + j] += operand[j];
                        }
                    }
                }
                if (rowsWanted) {
                    lanes.write(launch, to, launch.output(0), i, row);
                }
                if (means) {
                    Elements.setDouble(meanType, launch.output(1), i, mean);
                }
                if (deviations) {
                    Elements.setDouble(deviationType, launch.output(2), i, inverse);
                }
            }
        };
        long grain = Math.max(1, 4096 / Math.max(1, length));
        return launch -> launch.parallelFor(rows, grain, task);
    }

    private static @Nullable Broadcast operand(BindContext context, int index, Shape shape) {
        return context.hasInput(index)
                ? Broadcast.of(context.inputType(index), context.inputShape(index), shape)
                : null;
    }
}
