package dev.millrace.providers.cpu.image;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** MaxRoiPool: the largest pixels of the parts of boxes. */
final class MaxRoiPool {
    private MaxRoiPool() {}

    static ShapedKernel kernel(Node node) {
        double scale = node.attributes().real("spatial_scale", 1);
        return (BindContext context) -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            ElementType type = context.inputType(0);
            ElementType boxType = context.inputType(1);
            var images = Plane.Stack.of(node, context.inputType(0), in);
            long rows = out.dim(2);
            long columns = out.dim(3);
            RangeTask task = (run, from, to, scratch) -> {
                double[] box = scratch.doubles(0, 5);
                for (long item = from; item < to; item++) {
                    Elements.read(boxType, run.input(1), item / in.dim(1) * 5, box, 0, 5);
                    Plane plane = images.at(run.input(0), box[0], item % in.dim(1));
                    long left = Math.round(box[1] * scale);
                    long top = Math.round(box[2] * scale);
                    double cellWidth = Math.max(Math.round(box[3] * scale) - left + 1, 1) / (double) columns;
                    double cellHeight = Math.max(Math.round(box[4] * scale) - top + 1, 1) / (double) rows;
                    for (long cell = 0; cell < rows * columns; cell++) {
                        run.checkCancelled();
                        long row = cell / columns;
                        long column = cell % columns;
                        int y0 = (int) Math.clamp(Math.floor(row * cellHeight) + top, 0, images.height());
                        int y1 = (int) Math.clamp(Math.ceil((row + 1) * cellHeight) + top, 0, images.height());
                        int x0 = (int) Math.clamp(Math.floor(column * cellWidth) + left, 0, images.width());
                        int x1 = (int) Math.clamp(Math.ceil((column + 1) * cellWidth) + left, 0, images.width());
                        Elements.setDouble(
                                type, run.output(0), item * rows * columns + cell, largest(plane, y0, y1, x0, x1));
                    }
                }
            };
            return run -> run.parallelFor(out.dim(0) * in.dim(1), 1, task);
        };
    }

    private static double largest(Plane plane, int y0, int y1, int x0, int x1) {
        double largest = y0 < y1 && x0 < x1 ? Double.NEGATIVE_INFINITY : 0;
        for (int y = y0; y < y1; y++) {
            for (int x = x0; x < x1; x++) {
                largest = Math.max(largest, plane.at(y, x));
            }
        }
        return largest;
    }
}
