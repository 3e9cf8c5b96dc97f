package dev.millrace.providers.cpu.window;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** GlobalAveragePool, GlobalMaxPool and GlobalLpPool: each channel of each image becomes one element. */
record GlobalPoolKernel(Node node) implements ShapedKernel {

    @FunctionalInterface
    private interface Fold {
        double apply(double[] values, int count);
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int length = ArrayExtents.toInt("elements of a channel", shape.elements(2, shape.rank()));
        Fold fold = fold();
        RangeTask task = (launch, from, to, scratch) -> {
            double[] values = scratch.doubles(0, length);
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * length, values, 0, length);
                Elements.setDouble(type, launch.output(0), plane, fold.apply(values, length));
            }
        };
        long grain = Math.max(1, 8192 / Math.max(1, length));
        return launch -> launch.parallelFor(shape.elements(0, 2), grain, task);
    }

    private Fold fold() {
        long p = node.attributes().integer("p", 2);
        return switch (node.op().name()) {
            case OpName.GLOBAL_MAX_POOL ->
                (values, count) -> {
                    double best = Double.NEGATIVE_INFINITY;
                    for (int i = 0; i < count; i++) {
                        best = Math.max(best, values[i]);
                    }
                    return best;
                };
            case OpName.GLOBAL_AVERAGE_POOL ->
                (values, count) -> {
                    double sum = 0;
                    for (int i = 0; i < count; i++) {
                        sum += values[i];
                    }
                    return sum / count;
                };
            default ->
                (values, count) -> {
                    double sum = 0;
                    for (int i = 0; i < count; i++) {
                        sum += Powers.of(values[i], p);
                    }
                    return Powers.root(sum, p);
                };
        };
    }
}
