package dev.millrace.providers.cpu.window;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.image.PointsBetween;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;

/**
 * The im2col matrix of a DeformConv: the elements under the filters, whose taps are moved by offsets at each position
 * of the output.
 */
record DeformColumns(Window window, ElementType type, long images, int channels, int offsetGroups, boolean masked)
        implements Launch, RangeTask {
    /** The number of positions whose points are computed together. */
    private static final int BLOCK = 1024;

    private static final int TOP = 0;
    private static final int LEFT = 1;
    private static final int SHARES = 2;
    private static final int SUMS = 3;
    private static final int PLANE = 4;

    static ShapedKernel kernel(Node node) {
        return context -> {
            Shape image = context.inputShape(0);
            Shape weights = context.inputShape(1);
            Shape offsets = context.inputShape(2);
            long[] kernel = {weights.dim(2), weights.dim(3)};
            Shape places = Shape.of(image.dim(0), weights.dim(0), offsets.dim(2), offsets.dim(3));
            return new DeformColumns(
                    Window.of(node.attributes(), kernel, image, places),
                    context.inputType(0),
                    image.dim(0),
                    ArrayExtents.toInt("channels", image.dim(1)),
                    ArrayExtents.toInt("offset groups", node.attributes().integer("offset_group", 1)),
                    context.hasInput(3));
        };
    }

    private long blocks() {
        return Math.ceilDiv(window.outSize(), BLOCK);
    }

    @Override
    public void run(LaunchContext launch) {
        launch.parallelFor(images * blocks(), 1, this);
    }

    /** Processes items, each of which is a block of positions of an image, in all channels. */
    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        int taps = window.kernelSize();
        int block = Math.min(BLOCK, window.outSize());
        int points = ArrayExtents.product("points of a block", taps, block);
        var between = PointsBetween.of(scratch, PLANE, points, window.in()[0], window.in()[1]);
        double[] sums = scratch.doubles(SUMS, block);
        int together = Math.max(1, channels / offsetGroups);
        for (long item = from; item < to; item++) {
            long image = item / blocks();
            int first = (int) (item % blocks() * BLOCK);
            int count = Math.min(BLOCK, window.outSize() - first);
            for (int channel = 0; channel < channels; channel++) {
                launch.checkCancelled();
                if (channel % together == 0) {
                    place(launch, image * offsetGroups + channel / together, first, count, between, scratch);
                }
                long plane = image * channels + channel;
                between.read(type, launch.input(0), plane * window.inSize());
                for (int tap = 0; tap < taps; tap++) {
                    between.sum(tap * count, sums, count);
                    long row = plane * taps + tap;
                    Elements.write(type, launch.output(0), row * window.outSize() + first, sums, 0, count);
                }
            }
        }
    }

    /** Computes the points of all taps of several positions. */
    private void place(LaunchContext launch, long group, int first, int count, PointsBetween between, Scratch scratch) {
        int size = window.outSize();
        double[] top = scratch.doubles(TOP, count);
        double[] left = scratch.doubles(LEFT, count);
        double[] shares = scratch.doubles(SHARES, count);
        for (int tap = 0; tap < window.kernelSize(); tap++) {
            long row = group * window.kernelSize() + tap;
            Elements.read(type, launch.input(2), 2 * row * size + first, top, 0, count);
            Elements.read(type, launch.input(2), (2 * row + 1) * size + first, left, 0, count);
            if (masked) {
                Elements.read(type, launch.input(3), row * size + first, shares, 0, count);
            }
            int down = tap / window.kernel()[1] * window.dilations()[0] - window.padsBefore()[0];
            int right = tap % window.kernel()[1] * window.dilations()[1] - window.padsBefore()[1];
            for (int i = 0; i < count; i++) {
                double y = (first + i) / window.out()[1] * window.strides()[0] + down + top[i];
                double x = (first + i) % window.out()[1] * window.strides()[1] + right + left[i];
                between.set(tap * count + i, y, x, masked ? shares[i] : 1);
            }
        }
    }
}
