package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** RoiAlign and MaxRoiPool: boxes of an image pooled to one size. */
final class Regions {
    /** Samples of a cell along one axis; more are no image but a mistake. */
    private static final long MOST_SAMPLES = 1 << 16;

    private Regions() {}

    static ShapedKernel align(Node node) {
        Attributes attributes = node.attributes();
        boolean average = attributes.text("mode", "avg").equals("avg");
        double scale = attributes.real("spatial_scale", 1);
        long ratio = attributes.integer("sampling_ratio", 0);
        if (ratio < 0 || ratio > MOST_SAMPLES) {
            throw EngineException.invalidGraph(node.describe() + ": attribute 'sampling_ratio' is " + ratio
                    + " where 0 to " + MOST_SAMPLES + " is expected");
        }
        String transform = attributes.text(
                "coordinate_transformation_mode", node.opset() < 16 ? "output_half_pixel" : "half_pixel");
        boolean half = transform.equals("half_pixel");
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            ElementType type = context.inputType(0);
            ElementType boxType = context.inputType(1);
            ElementType indexType = context.inputType(2);
            var images = Plane.Stack.of(node, context.inputType(0), in);
            long rows = out.dim(2);
            long columns = out.dim(3);
            RangeTask task = (run, from, to, scratch) -> {
                double[] box = scratch.doubles(0, 4);
                for (long item = from; item < to; item++) {
                    long region = item / in.dim(1);
                    Elements.read(boxType, run.input(1), region * 4, box, 0, 4);
                    double image = Elements.getDouble(indexType, run.input(2), region);
                    Plane plane = images.at(run.input(0), image, item % in.dim(1));
                    double shift = half ? 0.5 : 0;
                    double left = box[0] * scale - shift;
                    double top = box[1] * scale - shift;
                    double boxWidth = box[2] * scale - shift - left;
                    double boxHeight = box[3] * scale - shift - top;
                    double cellHeight = (half ? boxHeight : Math.max(boxHeight, 1)) / rows;
                    double cellWidth = (half ? boxWidth : Math.max(boxWidth, 1)) / columns;
                    int down = samples(node, ratio, cellHeight, top);
                    int across = samples(node, ratio, cellWidth, left);
                    for (long cell = 0; cell < rows * columns; cell++) {
                        double value = pooled(
                                run,
                                plane,
                                new Span(top + cell / columns * cellHeight, cellHeight, down),
                                new Span(left + cell % columns * cellWidth, cellWidth, across),
                                average);
                        Elements.setDouble(type, run.output(0), item * rows * columns + cell, value);
                    }
                }
            };
            return run -> run.parallelFor(out.dim(0) * in.dim(1), 1, task);
        };
    }

    /** How many samples a cell takes along one axis: as many as the attribute says, else one for each pixel begun. */
    private static int samples(Node node, long ratio, double extent, double start) {
        double samples = ratio > 0 ? ratio : Math.ceil(extent);
        if (!Double.isFinite(start) || !Double.isFinite(extent) || samples > MOST_SAMPLES) {
            throw EngineException.invalidArgument(node.describe() + ": a region from " + start + " on takes " + samples
                    + " samples for each cell of " + extent + " pixels; at most " + MOST_SAMPLES + " are possible");
        }
        return (int) Math.max(samples, 0);
    }

    /** Samples spread evenly over {@code extent} pixels. */
    private record Span(double start, double extent, int samples) {
        double place(int sample) {
            return start + (sample + 0.5) * extent / samples;
        }
    }

    private static double pooled(LaunchContext run, Plane plane, Span rows, Span columns, boolean average) {
        double result = average ? 0 : Double.NEGATIVE_INFINITY;
        for (int i = 0; i < rows.samples(); i++) {
            run.checkCancelled();
            double y = rows.place(i);
            for (int k = 0; k < columns.samples(); k++) {
                double sample = sample(plane, y, columns.place(k), average);
                result = average ? result + sample : Math.max(result, sample);
            }
        }
        long samples = (long) rows.samples() * columns.samples();
        return average ? result / Math.max(samples, 1) : samples == 0 ? 0 : result;
    }

    /** A bilinear sample: the sum of its four weighted corners, or the largest of them. */
    private static double sample(Plane plane, double y, double x, boolean sums) {
        boolean empty = plane.height() == 0 || plane.width() == 0;
        if (empty || y < -1 || y > plane.height() || x < -1 || x > plane.width()) {
            return 0;
        }
        double row = Math.clamp(y, 0, plane.height() - 1);
        double column = Math.clamp(x, 0, plane.width() - 1);
        int y0 = (int) row;
        int x0 = (int) column;
        int y1 = Math.min(y0 + 1, plane.height() - 1);
        int x1 = Math.min(x0 + 1, plane.width() - 1);
        double dy = row - y0;
        double dx = column - x0;
        double a = (1 - dy) * (1 - dx) * plane.at(y0, x0);
        double b = (1 - dy) * dx * plane.at(y0, x1);
        double c = dy * (1 - dx) * plane.at(y1, x0);
        double d = dy * dx * plane.at(y1, x1);
        return sums ? a + b + c + d : Math.max(Math.max(a, b), Math.max(c, d));
    }

    static ShapedKernel maxPool(Node node) {
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
