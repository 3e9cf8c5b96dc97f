package dev.millrace.providers.cpu.image;

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
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * CropAndResize: boxes of images, in parts of their extents, resized to one size. Corners of a box lie on corners of the
 * result; what lies outside the image has one value.
 */
record CropResize(Node node) implements ShapedKernel {
    private static final int BOXES = 1;
    private static final int IMAGES = 2;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape in = context.inputShape(0);
        Shape out = context.outputShape(0);
        int height = Extents.toInt("rows of an image", in.dim(2));
        int width = Extents.toInt("columns of an image", in.dim(3));
        long rows = out.dim(2);
        long columns = out.dim(3);
        boolean linear = node.attributes().text("mode", "bilinear").equals("bilinear");
        double outside = node.attributes().real("extrapolation_value", 0f);
        RangeTask task = (run, from, to, scratch) -> {
            double[] box = scratch.doubles(0, 4);
            for (long plane = from; plane < to; plane++) {
                long region = plane / in.dim(1);
                Elements.read(type, run.input(BOXES), region * 4, box, 0, 4);
                long base = (image(run, region, in.dim(0)) * in.dim(1) + plane % in.dim(1)) * height * width;
                for (long i = 0; i < rows; i++) {
                    float y = along(box[0], box[2], i, rows, height);
                    for (long j = 0; j < columns; j++) {
                        float x = along(box[1], box[3], j, columns, width);
                        boolean inside = y >= 0 && y <= height - 1 && x >= 0 && x <= width - 1;
                        double value = !inside
                                ? outside
                                : linear
                                        ? between(run, type, base, y, x, width)
                                        : at(run, type, base, Math.round(y), Math.round(x), width);
                        Elements.setDouble(type, run.output(0), (plane * rows + i) * columns + j, value);
                    }
                }
            }
        };
        long grain = Math.max(1, 4096 / Math.max(1, rows * columns));
        return launch -> launch.parallelFor(out.dim(0) * out.dim(1), grain, task);
    }

    private long image(LaunchContext run, long region, long images) {
        long image = Elements.getLong(ElementType.INT32, run.input(IMAGES), region);
        if (image < 0 || image >= images) {
            throw EngineException.invalidArgument(
                    node.describe() + ": a region names image " + image + " of " + images);
        }
        return image;
    }

    /** Where cell {@code index} of {@code count} between two sides lies; one alone lies in the middle. */
    private static float along(double start, double end, long index, long count, int extent) {
        if (count == 1) {
            return (float) (0.5 * (start + end) * (extent - 1));
        }
        double place = index == count - 1 ? end : start + (end - start) * index / (count - 1);
        return (float) (place * (extent - 1));
    }

    private static double at(LaunchContext run, ElementType type, long base, long y, long x, int width) {
        return Elements.getDouble(type, run.input(0), base + y * width + x);
    }

    private static double between(LaunchContext run, ElementType type, long base, double y, double x, int width) {
        long top = (long) y;
        long left = (long) x;
        double down = y - top;
        double right = x - left;
        double upper = at(run, type, base, top, left, width);
        double lower = down == 0 ? upper : at(run, type, base, top + 1, left, width);
        if (right != 0) {
            upper += (at(run, type, base, top, left + 1, width) - upper) * right;
            lower += down == 0 ? 0 : (at(run, type, base, top + 1, left + 1, width) - lower) * right;
        }
        return down == 0 ? upper : upper + (lower - upper) * down;
    }
}
