package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;

/** MeanVarianceNormalization over any axes: {@code (x - mean) / (deviation + 1e-9)}. */
record MeanVarianceKernel(Node node) implements ShapedKernel {
    private static final double EPSILON = 1e-9;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        long[] axes = node.attributes().integers("axes");
        Shape cells = shape;
        for (long axis : axes == null ? new long[] {0, 2, 3} : axes) {
            cells = cells.with(Shape.axis(axis, shape.rank()), 1);
        }
        Broadcast map = Broadcast.of(type, cells, shape);
        int groups = ArrayExtents.toInt("groups", cells.elements());
        long count = shape.elements();
        double size = groups == 0 ? 1 : (double) count / groups;
        return launch -> {
            double[] means = launch.scratch().doubles(0, groups);
            double[] squares = launch.scratch().doubles(1, groups);
            Arrays.fill(means, 0, groups, 0);
            Arrays.fill(squares, 0, groups, 0);
            for (long i = 0; i < count; i++) {
                launch.checkCancelled(i);
                means[(int) map.offset(i)] += Elements.getDouble(type, launch.input(0), i);
            }
            for (int cell = 0; cell < groups; cell++) {
                launch.checkCancelled(cell);
                means[cell] /= size;
            }
            for (long i = 0; i < count; i++) {
                launch.checkCancelled(i);
                int cell = (int) map.offset(i);
                double distance = Elements.getDouble(type, launch.input(0), i) - means[cell];
                squares[cell] += distance * distance;
            }
            for (long i = 0; i < count; i++) {
                launch.checkCancelled(i);
                int cell = (int) map.offset(i);
                double distance = Elements.getDouble(type, launch.input(0), i) - means[cell];
                Elements.setDouble(type, launch.output(0), i, distance / (Math.sqrt(squares[cell] / size) + EPSILON));
            }
        };
    }
}
