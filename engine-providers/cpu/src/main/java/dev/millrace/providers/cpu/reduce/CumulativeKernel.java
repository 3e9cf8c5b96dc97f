package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** CumSum and CumProd along an axis that is an input. */
record CumulativeKernel(Node node, boolean product) implements ShapedKernel {
    /** Lanes side by side that are worth being taken together. */
    private static final int LEAST_ROW = 8;

    private static final int BLOCK = 1024;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Tensor axis = context.requireValue(1);
        Shape shape = context.inputShape(0);
        Lanes lanes = Lanes.along(shape, Shape.axis(Elements.getLong(axis.type(), axis.segment(), 0), shape.rank()));
        boolean exclusive = node.attributes().flag("exclusive", false);
        boolean reverse = node.attributes().flag("reverse", false);
        if (lanes.inner() >= LEAST_ROW) {
            return rows(lanes, type, exclusive, reverse);
        }
        RangeTask task =
                type.isFloating() ? doubles(lanes, type, exclusive, reverse) : longs(lanes, type, exclusive, reverse);
        long grain = Math.max(1, 4096 / Math.max(1, lanes.length()));
        return launch -> launch.parallelFor(lanes.count(), grain, task);
    }

    /** Many lanes at a time, row by row. */
    private Launch rows(Lanes lanes, ElementType type, boolean exclusive, boolean reverse) {
        long blocks = Math.ceilDiv(lanes.inner(), BLOCK);
        RangeTask task = (launch, from, to, scratch) -> {
            for (long item = from; item < to; item++) {
                long first = item / blocks * lanes.length() * lanes.inner() + item % blocks * BLOCK;
                int width = (int) Math.min(BLOCK, lanes.inner() - item % blocks * BLOCK);
                long step = reverse ? -lanes.inner() : lanes.inner();
                long at = reverse ? first + (lanes.length() - 1) * lanes.inner() : first;
                var rows = new Rows(launch, type, at, step, lanes.length(), width);
                if (type.isFloating()) {
                    doubles(rows, exclusive, scratch);
                } else {
                    longs(rows, exclusive, scratch);
                }
            }
        };
        long items = lanes.length() == 0 ? 0 : lanes.count() / lanes.inner() * blocks;
        long grain = Math.max(1, 4096 / Math.max(1, lanes.length() * Math.min(BLOCK, lanes.inner())));
        return launch -> launch.parallelFor(items, grain, task);
    }

    /** Rows of {@code width} elements, {@code step} from one to the next. */
    private record Rows(LaunchContext launch, ElementType type, long first, long step, int count, int width) {
        MemorySegment in() {
            return launch.input(0);
        }

        MemorySegment out() {
            return launch.output(0);
        }
    }

    private void doubles(Rows rows, boolean exclusive, Scratch scratch) {
        double[] totals = scratch.doubles(0, rows.width());
        double[] row = scratch.doubles(1, rows.width());
        Arrays.fill(totals, 0, rows.width(), product ? 1 : 0);
        for (int i = 0; i < rows.count(); i++) {
            rows.launch().checkCancelled(i);
            long at = rows.first() + i * rows.step();
            Elements.read(rows.type(), rows.in(), at, row, 0, rows.width());
            if (exclusive) {
                Elements.write(rows.type(), rows.out(), at, totals, 0, rows.width());
            }
            for (int j = 0; j < rows.width(); j++) {
                totals[j] = product ? totals[j] * row[j] : totals[j] + row[j];
            }
            if (!exclusive) {
                Elements.write(rows.type(), rows.out(), at, totals, 0, rows.width());
            }
        }
    }

    private void longs(Rows rows, boolean exclusive, Scratch scratch) {
        long[] totals = scratch.longs(0, rows.width());
        long[] row = scratch.longs(1, rows.width());
        Arrays.fill(totals, 0, rows.width(), product ? 1 : 0);
        for (int i = 0; i < rows.count(); i++) {
            rows.launch().checkCancelled(i);
            long at = rows.first() + i * rows.step();
            Elements.read(rows.type(), rows.in(), at, row, 0, rows.width());
            if (exclusive) {
                Elements.write(rows.type(), rows.out(), at, totals, 0, rows.width());
            }
            for (int j = 0; j < rows.width(); j++) {
                totals[j] = product ? totals[j] * row[j] : totals[j] + row[j];
            }
            if (!exclusive) {
                Elements.write(rows.type(), rows.out(), at, totals, 0, rows.width());
            }
        }
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
