package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** ArgMax and ArgMin: the place of the extreme element of each lane, the first or the last of equals. */
record ArgKernel(Node node, boolean greatest) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int axis = Shape.axis(node.attributes().integer("axis", 0), Math.max(1, shape.rank()));
        boolean last = node.attributes().flag("select_last_index", false);
        Lanes lanes = shape.rank() == 0 ? new Lanes(1, 1, 1) : Lanes.along(shape, axis);
        RangeTask task = type.isFloating() ? doubles(lanes, type, last) : longs(lanes, type, last);
        long grain = Math.max(1, 4096 / Math.max(1, lanes.length()));
        return launch -> launch.parallelFor(lanes.count(), grain, task);
    }

    private RangeTask doubles(Lanes lanes, ElementType type, boolean last) {
        return (launch, from, to, scratch) -> {
            double[] lane = scratch.doubles(0, lanes.length());
            for (long i = from; i < to; i++) {
                lanes.read(type, launch.input(0), i, lane);
                int best = 0;
                for (int j = 1; j < lanes.length(); j++) {
                    double ahead = greatest ? lane[j] - lane[best] : lane[best] - lane[j];
                    best = ahead > 0 || (last && lane[j] == lane[best]) ? j : best;
                }
                launch.output(0).set(Layouts.LONG, i * 8, best);
            }
        };
    }

    private RangeTask longs(Lanes lanes, ElementType type, boolean last) {
        long flip = type == ElementType.UINT64 ? Long.MIN_VALUE : 0;
        return (launch, from, to, scratch) -> {
            long[] lane = scratch.longs(0, lanes.length());
            for (long i = from; i < to; i++) {
                lanes.read(type, launch.input(0), i, lane);
                int best = 0;
                for (int j = 1; j < lanes.length(); j++) {
                    int order = Long.compare(lane[j] ^ flip, lane[best] ^ flip);
                    boolean ahead = greatest ? order > 0 : order < 0;
                    best = ahead || (last && order == 0) ? j : best;
                }
                launch.output(0).set(Layouts.LONG, i * 8, best);
            }
        };
    }
}
