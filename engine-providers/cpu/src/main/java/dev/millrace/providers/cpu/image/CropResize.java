package dev.millrace.providers.cpu.image;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * CropAndResize: resizes boxes of images, given in fractions of their extents, to one size. Corners of a box map to
 * corners of the result. Samples outside the image have one value.
 */
record CropResize(Node node) implements ShapedKernel {
    private static final int BOXES = 1;
    private static final int IMAGES = 2;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape in = context.inputShape(0);
        Shape out = context.outputShape(0);
        var images = Plane.Stack.of(node, type, in);
        long rows = out.dim(2);
        long columns = out.dim(3);
        boolean linear = node.attributes().text("mode", "bilinear").equals("bilinear");
        double outside = node.attributes().real("extrapolation_value", 0f);
        RangeTask task = (run, from, to, scratch) -> {
            double[] box = scratch.doubles(0, 4);
            for (long item = from; item < to; item++) {
                long region = item / in.dim(1);
                Elements.read(type, run.input(BOXES), region * 4, box, 0, 4);
                long image = Elements.getLong(ElementType.INT32, run.input(IMAGES), region);
                Plane plane = images.at(run.input(0), image, item % in.dim(1));
                for (long i = 0; i < rows; i++) {
                    float y = along(box[0], box[2], i, rows, plane.height());
                    for (long j = 0; j < columns; j++) {
                        float x = along(box[1], box[3], j, columns, plane.width());
                        boolean inside = y >= 0 && y <= plane.height() - 1 && x >= 0 && x <= plane.width() - 1;
                        double value = !inside
                                ? outside
                                : linear ? between(plane, y, x) : plane.at(Math.round(y), Math.round(x));
                        Elements.setDouble(type, run.output(0), (item * rows + i) * columns + j, value);
                    }
                }
            }
        };
        long grain = Math.max(1, 4096 / Math.max(1, rows * columns));
        return launch -> launch.parallelFor(out.dim(0) * out.dim(1), grain, task);
    }

    /**
     * Returns the coordinate of cell {@code index} of {@code count} between two sides; a single cell is in the middle.
     */
    private static float along(double start, double end, long index, long count, int extent) {
        if (count == 1) {
            return (float) (0.5 * (start + end) * (extent - 1));
        }
        double place = index == count - 1 ? end : start + (end - start) * index / (count - 1);
        return (float) (place * (extent - 1));
    }

    private static double between(Plane plane, double y, double x) {
        long top = (long) y;
        long left = (long) x;
        double down = y - top;
        double right = x - left;
        double upper = plane.at(top, left);
        double lower = down == 0 ? upper : plane.at(top + 1, left);
        if (right != 0) {
            upper += (plane.at(top, left + 1) - upper) * right;
            lower += down == 0 ? 0 : (plane.at(top + 1, left + 1) - lower) * right;
        }
        return down == 0 ? upper : upper + (lower - upper) * down;
    }
}
