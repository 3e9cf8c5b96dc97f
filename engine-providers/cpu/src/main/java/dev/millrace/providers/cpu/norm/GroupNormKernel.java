package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.reduce.Lanes;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * InstanceNormalization and GroupNormalization: channels of one group and image share mean and variance. An instance is
 * a group of one channel. Scale and bias are by channel, or by group as GroupNormalization had it in opset 18.
 */
record GroupNormKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int channels = ArrayExtents.toInt("channels", shape.dim(1));
        int groups = node.is(OpName.INSTANCE_NORMALIZATION)
                ? channels
                : ArrayExtents.toInt("groups", node.attributes().integer("num_groups"));
        double epsilon = node.attributes().real("epsilon", 1e-5f);
        int perGroup = channels / groups;
        int spatial = ArrayExtents.toInt("elements of a channel", shape.elements(2, shape.rank()));
        int length = ArrayExtents.product("elements of a group", perGroup, spatial);
        boolean byGroup = context.inputShape(1).elements() == groups && groups != channels;
        ElementType parameters = context.inputType(1);
        long rows = shape.elements() == 0 ? 0 : shape.dim(0) * groups;
        Lanes lanes = Lanes.along(Shape.of(rows, length), 1);
        context.mayReuse(0, 0);
        RangeTask task = (launch, from, to, scratch) -> {
            double[] row = scratch.doubles(0, length);
            for (long i = from; i < to; i++) {
                int group = (int) (i % groups);
                lanes.read(launch, type, launch.input(0), i, row);
                double mean = Moments.mean(launch, row, length);
                double inverse = 1 / Math.sqrt(Moments.squares(launch, row, length, mean) / length + epsilon);
                for (int c = 0; c < perGroup; c++) {
                    long parameter = byGroup ? group : (long) group * perGroup + c;
                    double factor = inverse * Elements.getDouble(parameters, launch.input(1), parameter);
                    double shift = Elements.getDouble(parameters, launch.input(2), parameter);
                    Moments.normalise(launch, row, c * spatial, (c + 1) * spatial, mean, factor, shift);
                }
                lanes.write(launch, type, launch.output(0), i, row);
            }
        };
        long grain = Math.max(1, 4096 / Math.max(1, length));
        return launch -> launch.parallelFor(rows, grain, task);
    }
}
