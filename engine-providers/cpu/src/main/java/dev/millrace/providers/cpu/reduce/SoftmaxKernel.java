package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.RunServices;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * Softmax, LogSoftmax and Hardmax. Below opset 13 the function is applied over the axis and all behind it, merged into
 * one.
 */
public record SoftmaxKernel(Node node, Function function) implements ShapedKernel {

    /** A function that transforms a line along the axis in place. */
    @FunctionalInterface
    public interface Function {
        void apply(RunServices run, double[] lane, int length);
    }

    static SoftmaxKernel of(Node node) {
        return new SoftmaxKernel(
                node,
                switch (node.op().name()) {
                    case OpName.SOFTMAX -> SoftmaxKernel::softmax;
                    case OpName.LOG_SOFTMAX -> SoftmaxKernel::logSoftmax;
                    default -> SoftmaxKernel::hardmax;
                });
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        boolean flat = node.opset() < 13;
        long number = node.attributes().integer("axis", flat ? 1 : -1);
        int axis = flat && number == shape.rank() ? shape.rank() : Shape.axis(number, Math.max(1, shape.rank()));
        Lanes lanes =
                shape.rank() == 0 ? new Lanes(1, 1, 1) : Lanes.between(shape, axis, flat ? shape.rank() : axis + 1);
        context.mayReuse(0, 0);
        RangeTask task = (launch, from, to, scratch) -> {
            double[] lane = scratch.doubles(0, lanes.length());
            for (long i = from; i < to; i++) {
                lanes.read(launch, type, launch.input(0), i, lane);
                function.apply(launch, lane, lanes.length());
                lanes.write(launch, type, launch.output(0), i, lane);
            }
        };
        long count = shape.elements() == 0 ? 0 : lanes.count();
        long grain = Math.max(1, 4096 / Math.max(1, lanes.length()));
        return launch -> launch.parallelFor(count, grain, task);
    }

    private static double max(RunServices run, double[] lane, int length) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < length; i++) {
            run.checkCancelled(i);
            max = Math.max(max, lane[i]);
        }
        return max;
    }

    /** Applies softmax, also to the scores of attention. A line of nothing but minus infinity becomes NaN. */
    public static void softmax(RunServices run, double[] lane, int length) {
        double max = max(run, lane, length);
        double sum = 0;
        for (int i = 0; i < length; i++) {
            run.checkCancelled(i);
            lane[i] = Math.exp(lane[i] - max);
            sum += lane[i];
        }
        double factor = 1 / sum;
        for (int i = 0; i < length; i++) {
            run.checkCancelled(i);
            lane[i] *= factor;
        }
    }

    static void logSoftmax(RunServices run, double[] lane, int length) {
        double max = max(run, lane, length);
        double sum = 0;
        for (int i = 0; i < length; i++) {
            run.checkCancelled(i);
            sum += Math.exp(lane[i] - max);
        }
        // not max + log(sum) at once: beside a huge maximum the logarithm would be lost
        double logarithm = Math.log(sum);
        for (int i = 0; i < length; i++) {
            run.checkCancelled(i);
            lane[i] = lane[i] - max - logarithm;
        }
    }

    private static void hardmax(RunServices run, double[] lane, int length) {
        int best = 0;
        for (int i = 1; i < length; i++) {
            run.checkCancelled(i);
            if (lane[i] > lane[best] || Double.isNaN(lane[best]) && !Double.isNaN(lane[i])) {
                best = i;
            }
        }
        for (int i = 0; i < length; i++) {
            run.checkCancelled(i);
            lane[i] = i == best ? 1 : 0;
        }
    }
}
