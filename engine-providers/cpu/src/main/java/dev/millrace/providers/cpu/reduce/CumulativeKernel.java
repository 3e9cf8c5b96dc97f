package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** CumSum and CumProd along an axis that is an input. */
record CumulativeKernel(Node node, boolean product) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Tensor axis = context.requireValue(1);
        Shape shape = context.inputShape(0);
        Lanes lanes = Lanes.along(shape, Shape.axis(Elements.getLong(axis.type(), axis.segment(), 0), shape.rank()));
        boolean exclusive = node.attributes().flag("exclusive", false);
        boolean reverse = node.attributes().flag("reverse", false);
        RangeTask task =
                type.isFloating() ? doubles(lanes, type, exclusive, reverse) : longs(lanes, type, exclusive, reverse);
        long grain = Math.max(1, 4096 / Math.max(1, lanes.length()));
        return launch -> launch.parallelFor(lanes.count(), grain, task);
    }

    private RangeTask doubles(Lanes lanes, ElementType type, boolean exclusive, boolean reverse) {
        return (launch, from, to, scratch) -> {
            double[] lane = scratch.doubles(0, lanes.length());
            for (long i = from; i < to; i++) {
                lanes.read(launch, type, launch.input(0), i, lane);
                double total = product ? 1 : 0;
                for (int j = 0; j < lanes.length(); j++) {
                    launch.checkCancelled(j);
                    int at = reverse ? lanes.length() - 1 - j : j;
                    double before = total;
                    total = product ? total * lane[at] : total + lane[at];
                    lane[at] = exclusive ? before : total;
                }
                lanes.write(launch, type, launch.output(0), i, lane);
            }
        };
    }

    private RangeTask longs(Lanes lanes, ElementType type, boolean exclusive, boolean reverse) {
        return (launch, from, to, scratch) -> {
            long[] lane = scratch.longs(0, lanes.length());
            for (long i = from; i < to; i++) {
                lanes.read(launch, type, launch.input(0), i, lane);
                long total = product ? 1 : 0;
                for (int j = 0; j < lanes.length(); j++) {
                    launch.checkCancelled(j);
                    int at = reverse ? lanes.length() - 1 - j : j;
                    long before = total;
                    total = product ? total * lane[at] : total + lane[at];
                    lane[at] = exclusive ? before : total;
                }
                lanes.write(launch, type, launch.output(0), i, lane);
            }
        };
    }
}
