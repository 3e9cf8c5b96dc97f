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
import java.util.Arrays;

/** DeformConv on images: each tap of the window is moved by an offset of its own and read between pixels. */
record DeformConvKernel(Node node) implements ShapedKernel {
    private static final int BLOCK = 128;

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
                image.dim(0),
                context.inputType(0),
                Extents.toInt("channels", image.dim(1)),
                Extents.toInt("filters", weights.dim(0)),
                Extents.toInt("channels of a filter", weights.dim(1)),
                Extents.toInt("offset groups", node.attributes().integer("offset_group", 1)),
                context.hasInput(3),
                context.hasInput(4));
        Extents.product(
                "weights",
                task.filters(),
                (long) task.perGroup() * task.window().kernelSize());
        long blocks = Math.ceilDiv(task.columns(), BLOCK);
        return launch -> launch.parallelFor(blocks, 1, task);
    }

    /** An item is some output positions, of one image or several; all their taps are read once and serve every filter. */
    private record Task(
            Window window,
            long images,
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
            int row = perGroup * taps;
            double[] seen = scratch.doubles(0, channels * taps * BLOCK);
            double[] weights = scratch.doubles(1, filters * row);
            double[] sums = scratch.doubles(2, BLOCK);
            Elements.read(type, launch.input(1), 0, weights, 0, filters * row);
            int perFilterGroup = filters / (channels / perGroup);
            for (long item = from; item < to; item++) {
                launch.checkCancelled();
                long first = item * BLOCK;
                int count = (int) Math.min(BLOCK, columns() - first);
                for (int i = 0; i < count; i++) {
                    sample(launch, (first + i) / size, (int) ((first + i) % size), seen, i);
                }
                for (int filter = 0; filter < filters; filter++) {
                    int rows = filter / perFilterGroup * row;
                    Arrays.fill(sums, 0, count, bias ? Elements.getDouble(type, launch.input(3), filter) : 0);
                    for (int i = 0; i < row; i++) {
                        add(sums, weights[filter * row + i], seen, (rows + i) * BLOCK, count);
                    }
                    write(launch.output(0), filter, first, count, sums, scratch);
                }
            }
        }

        /** The output positions of all images. */
        long columns() {
            return images * window.outSize();
        }

        /** Writes results of a filter; those of small images are narrowed together and copied one by one. */
        private void write(MemorySegment target, int filter, long first, int count, double[] sums, Scratch scratch) {
            int size = window.outSize();
            float[] narrow = scratch.floats(0, BLOCK);
            boolean narrowed = type == ElementType.FLOAT;
            for (int i = 0; i < count && narrowed; i++) {
                narrow[i] = (float) sums[i];
            }
            long image = first / size;
            int position = (int) (first % size);
            for (int i = 0; i < count; ) {
                int run = Math.min(size - position, count - i);
                long at = (image * filters + filter) * size + position;
                if (narrowed) {
                    Elements.write(type, target, at, narrow, i, run);
                } else {
                    Elements.write(type, target, at, sums, i, run);
                }
                i += run;
                image++;
                position = 0;
            }
        }

        private static void add(double[] sums, double weight, double[] seen, int from, int count) {
            for (int i = 0; i < count; i++) {
                sums[i] += weight * seen[from + i];
            }
        }

        /** Reads the taps of a position into column {@code at} of rows for channels and taps. */
        private void sample(LaunchContext launch, long b, int position, double[] seen, int at) {
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
                    seen[(c * taps + tap) * BLOCK + at] = share * between(launch.input(0), plane, y, x);
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
