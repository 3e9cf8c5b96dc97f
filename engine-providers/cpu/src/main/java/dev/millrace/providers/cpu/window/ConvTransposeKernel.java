package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * ConvTranspose: every input element adds a multiple of the filter to the output. It is the window of a convolution seen
 * from the other side: what slides over the output is counted by the input.
 */
record ConvTransposeKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Shape image = context.inputShape(0);
        Shape weights = context.inputShape(1);
        Shape out = context.outputShape(0);
        int groups = ArrayExtents.toInt("groups", node.attributes().integer("group", 1));
        if (groups < 1 || image.dim(1) % groups != 0 || image.dim(1) != weights.dim(0)) {
            throw EngineException.invalidArgument(node.describe() + ": " + groups + " groups and weights of shape "
                    + weights + " do not fit an input of shape " + image);
        }
        var task = new Task(
                window(image, weights, out),
                context.inputType(0),
                ArrayExtents.toInt("channels of a group", image.dim(1) / groups),
                ArrayExtents.toInt("filters of a group", weights.dim(1)),
                groups,
                context.hasInput(2));
        long planes = out.dim(0) * out.dim(1);
        return launch -> launch.parallelFor(planes, 1, task);
    }

    private Window window(Shape image, Shape weights, Shape out) {
        Attributes attributes = node.attributes();
        int axes = image.rank() - 2;
        int[] large = Window.spatial(out);
        int[] small = Window.spatial(image);
        int[] kernel = Window.spatial(weights);
        int[] strides = Window.ints(attributes.integers("strides"), axes, 1);
        int[] dilations = Window.ints(attributes.integers("dilations"), axes, 1);
        int[] extra = Window.ints(attributes.integers("output_padding"), axes, 0);
        String auto = attributes.text("auto_pad", "NOTSET");
        long[] pads = attributes.integers("pads");
        int[] before = new int[axes];
        int[] after = new int[axes];
        boolean derived = attributes.has("output_shape") || auto.startsWith("SAME");
        for (int i = 0; i < axes; i++) {
            if (derived) {
                long full = strides[i] * (small[i] - 1L) + extra[i] + (kernel[i] - 1L) * dilations[i] + 1;
                int total = ArrayExtents.toInt("pads", Math.max(0, full - large[i]));
                before[i] = auto.equals("SAME_UPPER") ? total / 2 : total - total / 2;
                after[i] = total - before[i];
            } else if (pads != null && !auto.equals("VALID")) {
                before[i] = ArrayExtents.toInt("pads", pads[i]);
                after[i] = ArrayExtents.toInt("pads", pads[i + axes]);
            }
            ArrayExtents.toInt(
                    "places that a window reaches along an axis",
                    (small[i] - 1L) * strides[i] + (kernel[i] - 1L) * dilations[i] + Math.abs((long) before[i]));
        }
        return new Window(large, small, kernel, strides, dilations, before, after);
    }

    /** An item is one channel of one image of the output. */
    private record Task(Window window, ElementType type, int channels, int filters, int groups, boolean bias)
            implements RangeTask {

        @Override
        public void run(LaunchContext launch, long from, long to, Scratch scratch) {
            int taps = window.kernelSize();
            int small = window.outSize();
            int large = window.inSize();
            double[] sums = scratch.doubles(0, large);
            double[] plane = scratch.doubles(1, small);
            double[] weights = scratch.doubles(2, taps);
            int[] places = scratch.ints(0, ArrayExtents.product("taps", taps, small));
            for (int tap = 0; tap < taps; tap++) {
                launch.checkCancelled();
                for (int i = 0; i < small; i++) {
                    places[tap * small + i] = window.place(i, tap);
                }
            }
            for (long item = from; item < to; item++) {
                launch.checkCancelled();
                int filter = (int) (item % ((long) filters * groups));
                long b = item / ((long) filters * groups);
                int group = filter / filters;
                Arrays.fill(sums, 0, large, bias ? Elements.getDouble(type, launch.input(2), filter) : 0);
                for (int c = group * channels; c < (group + 1) * channels; c++) {
                    launch.checkCancelled();
                    long base = (b * channels * groups + c) * small;
                    Elements.read(type, launch.input(0), base, plane, 0, small);
                    Elements.read(
                            type, launch.input(1), ((long) c * filters + filter % filters) * taps, weights, 0, taps);
                    scatter(plane, small, weights, taps, places, sums);
                }
                Elements.write(type, launch.output(0), item * large, sums, 0, large);
            }
        }

        private static void scatter(
                double[] plane, int small, double[] weights, int taps, int[] places, double[] sums) {
            for (int tap = 0; tap < taps; tap++) {
                double weight = weights[tap];
                for (int i = 0; i < small; i++) {
                    int place = places[tap * small + i];
                    if (place >= 0) {
                        sums[place] += weight * plane[i];
                    }
                }
            }
        }
    }
}
