package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.product.MatrixLayout;
import dev.millrace.providers.cpu.product.Product;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Conv of any number of spatial axes: weights times patches, a product for each image and group. Patches hold zeros where
 * a window reaches into the padding. Weights that are infinite or NaN make NaN of a zero, so such weights are summed tap
 * by tap, without the padding.
 */
record ConvKernel(Node node) implements ShapedKernel {
    private static final int BLOCK = 2048;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape image = context.inputShape(0);
        Shape weights = context.inputShape(1);
        Shape out = context.outputShape(0);
        int groups = ArrayExtents.toInt("groups", node.attributes().integer("group", 1));
        long[] kernel = Arrays.copyOfRange(weights.toArray(), 2, weights.rank());
        Window window = Window.of(node.attributes(), kernel, image, out);
        int channels = ArrayExtents.toInt("channels of a filter", weights.dim(1));
        int filters = ArrayExtents.toInt("filters", weights.dim(0));
        if (groups < 1 || filters % groups != 0 || (long) channels * groups != image.dim(1)) {
            throw EngineException.invalidArgument(node.describe() + ": " + groups + " groups and weights of shape "
                    + weights + " do not fit an input of shape " + image);
        }
        boolean bias = context.hasInput(2);
        long planes = out.dim(0) * filters;
        RangeTask byTap = byTap(window, type, channels, filters, groups, bias);
        Launch exact = launch -> launch.parallelFor(planes, 1, byTap);
        if (type == ElementType.DOUBLE) {
            return exact;
        }
        int rows = filters / groups;
        Launch fast;
        if (rows == 1 && channels == 1 && window.axes() <= 2) {
            RangeTask task = new DepthwiseTask(window, type, filters, bias);
            long grain = Math.max(1, 100_000 / Math.max(1, window.outSize() * window.kernelSize()));
            fast = launch -> launch.parallelFor(planes, grain, task);
        } else {
            fast = product(context, window, type, (int) image.dim(0), channels, rows, groups, bias);
        }
        if (!window.reachesIntoPadding()) {
            return fast;
        }
        Tensor constant = context.constantInput(1);
        if (constant != null) {
            return isFinite(constant.segment(), type, weights.elements()) ? fast : exact;
        }
        long count = weights.elements();
        return launch -> (isFinite(launch.input(1), type, count) ? fast : exact).run(launch);
    }

    private static boolean isFinite(MemorySegment numbers, ElementType type, long count) {
        float[] block = new float[(int) Math.min(BLOCK, count)];
        for (long at = 0; at < count; at += BLOCK) {
            int length = (int) Math.min(BLOCK, count - at);
            Elements.read(type, numbers, at, block, 0, length);
            for (int i = 0; i < length; i++) {
                if (!Float.isFinite(block[i])) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Product product(
            BindContext context,
            Window window,
            ElementType type,
            int images,
            int channels,
            int rows,
            int groups,
            boolean bias) {
        int depth = ArrayExtents.product("weights of a filter", channels, window.kernelSize());
        int columns = window.outSize();
        MatrixLayout left = MatrixLayout.rows(type, depth);
        MatrixLayout pixels = MatrixLayout.rows(type, columns);
        Im2Col patches = new Im2Col(window, type);
        boolean pointwise = window.isPointwise();
        long step = (long) channels * window.inSize();
        return new Product(
                (long) images * groups,
                rows,
                depth,
                columns,
                context.parallelism(),
                (launch, batch, row, count, at, deep, to, stride, scratch) -> left.read(
                        launch.input(1), batch % groups * rows * depth, row, count, at, deep, to, stride, scratch),
                (launch, batch, at, deep, column, count, to, scratch) -> {
                    if (pointwise) {
                        pixels.read(launch.input(0), batch * step, at, deep, column, count, to, scratch);
                    } else {
                        patches.read(launch.input(0), batch * step, at, deep, column, count, to, scratch);
                    }
                },
                (launch, batch, row, column, count, sums, scratch) -> {
                    if (bias) {
                        float added = (float) Elements.getDouble(type, launch.input(2), batch % groups * rows + row);
                        for (int i = 0; i < count; i++) {
                            sums[i] += added;
                        }
                    }
                    Elements.write(type, launch.output(0), (batch * rows + row) * columns + column, sums, 0, count);
                });
    }

    /** The sum of each output by the definition: over the taps that lie in the image. */
    private static RangeTask byTap(
            Window window, ElementType type, int channels, int filters, int groups, boolean bias) {
        int rows = filters / groups;
        int taps = window.kernelSize();
        return (launch, from, to, scratch) -> {
            for (long plane = from; plane < to; plane++) {
                long filter = plane % filters;
                long base = (plane / filters * groups + filter / rows) * channels * window.inSize();
                double start = bias ? Elements.getDouble(type, launch.input(2), filter) : 0;
                for (int position = 0; position < window.outSize(); position++) {
                    launch.checkCancelled(position);
                    double sum = start;
                    for (int tap = 0; tap < taps; tap++) {
                        int place = window.place(position, tap);
                        for (int c = 0; c < channels && place >= 0; c++) {
                            sum += Elements.getDouble(type, launch.input(1), (filter * channels + c) * taps + tap)
                                    * Elements.getDouble(
                                            type, launch.input(0), base + (long) c * window.inSize() + place);
                        }
                    }
                    Elements.setDouble(type, launch.output(0), plane * window.outSize() + position, sum);
                }
            }
        };
    }
}
