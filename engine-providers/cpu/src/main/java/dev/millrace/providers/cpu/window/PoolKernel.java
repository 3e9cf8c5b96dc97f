package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;

/** MaxPool, AveragePool and LpPool. An item is one channel of one image. */
record PoolKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        long[] kernel = attributes.integers("kernel_shape");
        if (kernel == null) {
            throw EngineException.invalidGraph(node.describe() + ": attribute 'kernel_shape' is missing");
        }
        Window window = Window.of(attributes, kernel, shape, context.outputShape(0));
        boolean indices = context.outputCount() > 1 && context.hasOutput(1);
        boolean byColumn = attributes.flag("storage_order", false);
        RangeTask task = switch (node.op().name()) {
            case OpName.MAX_POOL -> maximum(window, type, indices, byColumn);
            case OpName.AVERAGE_POOL -> average(window, type, attributes.flag("count_include_pad", false));
            default -> power(window, type, attributes.integer("p", 2));
        };
        long planes = shape.elements(0, 2);
        long grain = Math.max(1, 50_000 / Math.max(1, (long) window.outSize() * window.kernelSize()));
        return launch -> launch.parallelFor(planes, grain, task);
    }

    private static RangeTask maximum(Window window, ElementType type, boolean indices, boolean byColumn) {
        int in = window.inSize();
        int out = window.outSize();
        return (launch, from, to, scratch) -> {
            double[] image = scratch.doubles(0, in);
            double[] best = scratch.doubles(1, out);
            int[] winners = scratch.ints(0, out);
            WindowRuns.Run values = (position, count, place, step) -> {
                for (int i = position, at = place; i < position + count; i++, at += step) {
                    best[i] = Math.max(best[i], image[at]);
                }
            };
            WindowRuns.Run places = (position, count, place, step) -> {
                for (int i = position, at = place; i < position + count; i++, at += step) {
                    if (winners[i] < 0 || image[at] > best[i] || Double.isNaN(image[at])) {
                        best[i] = image[at];
                        winners[i] = at;
                    }
                }
            };
            WindowRuns.Run fold = indices ? places : values;
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * in, image, 0, in);
                Arrays.fill(best, 0, out, Double.NEGATIVE_INFINITY);
                Arrays.fill(winners, 0, out, -1);
                WindowRuns.forEach(launch, window, fold);
                Elements.write(type, launch.output(0), plane * out, best, 0, out);
                for (int i = 0; i < out && indices; i++) {
                    long index = byColumn ? transposed(window.in(), winners[i]) : winners[i];
                    writeIndex(launch, plane * out + i, plane * in + index);
                }
            }
        };
    }

    private static void writeIndex(LaunchContext launch, long at, long index) {
        launch.output(1).set(ByteLayouts.LONG, at * 8, index);
    }

    /** The number of a place that counts row-major when the first axis is counted fastest. */
    private static long transposed(int[] extents, int place) {
        long number = 0;
        int rest = place;
        long step = Window.product(extents);
        for (int i = extents.length - 1; i >= 0; i--) {
            step /= extents[i];
            number += rest % extents[i] * step;
            rest /= extents[i];
        }
        return number;
    }

    private static RangeTask average(Window window, ElementType type, boolean countPads) {
        int in = window.inSize();
        int out = window.outSize();
        double[] divisors = new double[out];
        Arrays.setAll(divisors, countPads ? window::tapsInPaddedImage : window::tapsInImage);
        return (launch, from, to, scratch) -> {
            double[] image = scratch.doubles(0, in);
            double[] sums = scratch.doubles(1, out);
            WindowRuns.Run fold = (position, count, place, step) -> add(sums, position, count, image, place, step);
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * in, image, 0, in);
                Arrays.fill(sums, 0, out, 0);
                WindowRuns.forEach(launch, window, fold);
                for (int i = 0; i < out; i++) {
                    sums[i] = divisors[i] == 0 ? 0 : sums[i] / divisors[i];
                }
                Elements.write(type, launch.output(0), plane * out, sums, 0, out);
            }
        };
    }

    private static void add(double[] sums, int position, int count, double[] image, int place, int step) {
        if (step == 1) {
            for (int i = 0; i < count; i++) {
                sums[position + i] += image[place + i];
            }
            return;
        }
        for (int i = position, at = place; i < position + count; i++, at += step) {
            sums[i] += image[at];
        }
    }

    private static RangeTask power(Window window, ElementType type, long p) {
        int in = window.inSize();
        int out = window.outSize();
        return (launch, from, to, scratch) -> {
            double[] image = scratch.doubles(0, in);
            double[] sums = scratch.doubles(1, out);
            WindowRuns.Run fold = (position, count, place, step) -> add(sums, position, count, image, place, step);
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * in, image, 0, in);
                for (int i = 0; i < in; i++) {
                    image[i] = Powers.of(image[i], p);
                }
                Arrays.fill(sums, 0, out, 0);
                WindowRuns.forEach(launch, window, fold);
                for (int i = 0; i < out; i++) {
                    sums[i] = Powers.root(sums[i], p);
                }
                Elements.write(type, launch.output(0), plane * out, sums, 0, out);
            }
        };
    }
}
