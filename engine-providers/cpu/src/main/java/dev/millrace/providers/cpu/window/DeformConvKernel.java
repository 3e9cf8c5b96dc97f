package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;

/** DeformConv on images: each tap of the window is moved by an offset of its own and read between pixels. */
record DeformConvKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Shape image = context.inputShape(0);
        Shape weights = context.inputShape(1);
        if (image.rank() != 4) {
            throw EngineException.notImplemented(node.describe() + ": only images of two axes, not " + image);
        }
        long[] kernel = {weights.dim(2), weights.dim(3)};
        var task = new Task(
                Window.of(node.attributes(), kernel, image, context.outputShape(0)),
                context.inputType(0),
                Extents.toInt("channels", image.dim(1)),
                Extents.toInt("filters", weights.dim(0)),
                Extents.toInt("channels of a filter", weights.dim(1)),
                Extents.toInt("offset groups", node.attributes().integer("offset_group", 1)),
                context.hasInput(3),
                context.hasInput(4));
        long positions = image.dim(0) * task.window().outSize();
        return launch -> launch.parallelFor(positions, 4, task);
    }

    /** An item is one output position of one image; all its taps are read once and serve every filter. */
    private record Task(
            Window window,
            ElementType type,
            int channels,
            int filters,
            int perGroup,
            int offsetGroups,
            boolean bias,
            boolean masked)
            implements RangeTask {

        @Override
        public void run(LaunchContext launch, long from, long to, Scratch scratch) {
            int taps = window.kernelSize();
            int size = window.outSize();
            double[] seen = scratch.doubles(0, channels * taps);
            double[] row = scratch.doubles(1, perGroup * taps);
            int perFilterGroup = filters / (channels / perGroup);
            for (long item = from; item < to; item++) {
                long b = item / size;
                int position = (int) (item % size);
                sample(launch, b, position, seen);
                for (int filter = 0; filter < filters; filter++) {
                    int first = filter / perFilterGroup * perGroup * taps;
                    Elements.read(type, launch.input(1), (long) filter * row(taps), row, 0, row(taps));
                    double sum = bias ? Elements.getDouble(type, launch.input(3), filter) : 0;
                    for (int i = 0; i < row(taps); i++) {
                        sum += row[i] * seen[first + i];
                    }
                    Elements.setDouble(type, launch.output(0), (b * filters + filter) * size + position, sum);
                }
            }
        }

        private int row(int taps) {
            return perGroup * taps;
        }

        private void sample(LaunchContext launch, long b, int position, double[] seen) {
            int taps = window.kernelSize();
            int size = window.outSize();
            int top = position / window.out()[1] * window.strides()[0] - window.padsBefore()[0];
            int left = position % window.out()[1] * window.strides()[1] - window.padsBefore()[1];
            for (int c = 0; c < channels; c++) {
                long group = b * offsetGroups + (long) c * offsetGroups / channels;
                for (int tap = 0; tap < taps; tap++) {
                    long offset = (group * taps + tap) * 2 * size + position;
                    double y = top
                            + tap / window.kernel()[1] * window.dilations()[0]
                            + Elements.getDouble(type, launch.input(2), offset);
                    double x = left
                            + tap % window.kernel()[1] * window.dilations()[1]
                            + Elements.getDouble(type, launch.input(2), offset + size);
                    double share = masked
                            ? Elements.getDouble(type, launch.input(4), (group * taps + tap) * size + position)
                            : 1;
                    long plane = (b * channels + c) * window.inSize();
                    seen[c * taps + tap] = share * between(launch.input(0), plane, y, x);
                }
            }
        }

        private double between(MemorySegment image, long plane, double y, double x) {
            int top = (int) Math.floor(y);
            int left = (int) Math.floor(x);
            double down = y - top;
            double right = x - left;
            return (1 - down)
                            * ((1 - right) * pixel(image, plane, top, left)
                                    + right * pixel(image, plane, top, left + 1))
                    + down
                            * ((1 - right) * pixel(image, plane, top + 1, left)
                                    + right * pixel(image, plane, top + 1, left + 1));
        }

        private double pixel(MemorySegment image, long plane, int y, int x) {
            boolean inside = y >= 0 && y < window.in()[0] && x >= 0 && x < window.in()[1];
            return inside ? Elements.getDouble(type, image, plane + (long) y * window.in()[1] + x) : 0;
        }
    }
}
