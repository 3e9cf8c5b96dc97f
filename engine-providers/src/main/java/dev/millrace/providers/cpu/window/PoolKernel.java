package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

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
        RangeTask task =
                switch (node.op().name()) {
                    case "MaxPool" -> maximum(window, type, indices, byColumn);
                    case "AveragePool" -> average(window, type, attributes.flag("count_include_pad", false));
                    default -> power(window, type, attributes.integer("p", 2));
                };
        long planes = shape.elements(0, 2);
        long grain = Math.max(1, 50_000 / Math.max(1, (long) window.outSize() * window.kernelSize()));
        return launch -> launch.parallelFor(planes, grain, task);
    }

    private static RangeTask maximum(Window window, ElementType type, boolean indices, boolean byColumn) {
        return (launch, from, to, scratch) -> {
            double[] image = scratch.doubles(0, window.inSize());
            double[] result = scratch.doubles(1, window.outSize());
            int taps = window.kernelSize();
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * window.inSize(), image, 0, window.inSize());
                for (int position = 0; position < window.outSize(); position++) {
                    double best = Double.NEGATIVE_INFINITY;
                    int winner = -1;
                    for (int tap = 0; tap < taps; tap++) {
                        int place = window.place(position, tap);
                        if (place >= 0 && (winner < 0 || image[place] > best || Double.isNaN(image[place]))) {
                            best = image[place];
                            winner = place;
                        }
                    }
                    result[position] = best;
                    if (indices) {
                        long index = plane * window.inSize() + (byColumn ? transposed(window.in(), winner) : winner);
                        writeIndex(launch, plane * window.outSize() + position, index);
                    }
                }
                Elements.write(type, launch.output(0), plane * window.outSize(), result, 0, window.outSize());
            }
        };
    }

    private static void writeIndex(LaunchContext launch, long at, long index) {
        launch.output(1).set(Layouts.LONG, at * 8, index);
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
        return (launch, from, to, scratch) -> {
            double[] image = scratch.doubles(0, window.inSize());
            double[] result = scratch.doubles(1, window.outSize());
            int taps = window.kernelSize();
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * window.inSize(), image, 0, window.inSize());
                for (int position = 0; position < window.outSize(); position++) {
                    double sum = 0;
                    int count = 0;
                    for (int tap = 0; tap < taps; tap++) {
                        int place = window.place(position, tap);
                        if (place >= 0) {
                            sum += image[place];
                            count++;
                        }
                    }
                    int divisor = countPads ? window.tapsInPaddedImage(position) : count;
                    result[position] = divisor == 0 ? 0 : sum / divisor;
                }
                Elements.write(type, launch.output(0), plane * window.outSize(), result, 0, window.outSize());
            }
        };
    }

    private static RangeTask power(Window window, ElementType type, long p) {
        return (launch, from, to, scratch) -> {
            double[] image = scratch.doubles(0, window.inSize());
            double[] result = scratch.doubles(1, window.outSize());
            int taps = window.kernelSize();
            for (long plane = from; plane < to; plane++) {
                Elements.read(type, launch.input(0), plane * window.inSize(), image, 0, window.inSize());
                for (int position = 0; position < window.outSize(); position++) {
                    double sum = 0;
                    for (int tap = 0; tap < taps; tap++) {
                        int place = window.place(position, tap);
                        sum += place < 0 ? 0 : Powers.of(image[place], p);
                    }
                    result[position] = Powers.root(sum, p);
                }
                Elements.write(type, launch.output(0), plane * window.outSize(), result, 0, window.outSize());
            }
        };
    }
}
