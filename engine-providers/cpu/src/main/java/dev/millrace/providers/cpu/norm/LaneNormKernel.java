package dev.millrace.providers.cpu.norm;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.reduce.Lanes;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * LpNormalization and LRN, which divide each element of a line along an axis by a norm of the line, or of its
 * neighbourhood there.
 */
record LaneNormKernel(Node node) implements ShapedKernel {

    /** A function that computes the second array from the first. */
    @FunctionalInterface
    private interface Step {
        void apply(LaunchContext launch, double[] lane, double[] result, int length);
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        boolean local = node.is(OpName.LRN);
        int axis = local ? 1 : Shape.axis(node.attributes().integer("axis", -1), shape.rank());
        Lanes lanes = Lanes.along(shape, axis);
        Step step = local ? neighbourhood() : whole(node.attributes().integer("p", 2));
        RangeTask task = (launch, from, to, scratch) -> {
            double[] lane = scratch.doubles(0, lanes.length());
            double[] result = scratch.doubles(1, lanes.length());
            for (long i = from; i < to; i++) {
                lanes.read(launch, type, launch.input(0), i, lane);
                step.apply(launch, lane, result, lanes.length());
                lanes.write(launch, type, launch.output(0), i, result);
            }
        };
        long grain = Math.max(1, 4096 / Math.max(1, lanes.length()));
        return launch -> launch.parallelFor(lanes.count(), grain, task);
    }

    private static Step whole(long p) {
        return (launch, lane, result, length) -> {
            double norm = 0;
            for (int i = 0; i < length; i++) {
                launch.checkCancelled(i);
                norm += p == 1 ? Math.abs(lane[i]) : lane[i] * lane[i];
            }
            norm = p == 1 ? norm : Math.sqrt(norm);
            for (int i = 0; i < length; i++) {
                launch.checkCancelled(i);
                result[i] = norm == 0 ? 0 : lane[i] / norm;
            }
        };
    }

    private Step neighbourhood() {
        int size = ArrayExtents.toInt("neighbours", node.attributes().integer("size"));
        double alpha = node.attributes().real("alpha", 1e-4f);
        double beta = node.attributes().real("beta", 0.75f);
        double bias = node.attributes().real("bias", 1f);
        int before = (size - 1) / 2;
        int after = size - 1 - before;
        return (launch, lane, result, length) -> {
            for (int i = 0; i < length; i++) {
                launch.checkCancelled(i);
                double sum = 0;
                for (int j = Math.max(0, i - before); j <= Math.min(length - 1, i + after); j++) {
                    sum += lane[j] * lane[j];
                }
                result[i] = lane[i] / Math.pow(bias + alpha / size * sum, beta);
            }
        };
    }
}
