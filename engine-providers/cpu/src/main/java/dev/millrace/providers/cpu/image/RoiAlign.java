package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.image.AxisTaps.Line;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;

/** Boxes of images pooled to one size. A cell is the average, or the largest, of samples between pixels. */
record RoiAlign(Rule rule, ElementType type, ElementType boxType, ElementType indexType, Plane.Stack images, Shape out)
        implements Launch, RangeTask {
    /** Samples of a cell along one axis; more are no image but a mistake. */
    private static final int MOST_SAMPLES = 1 << 16;

    private static final int BOX_SLOT = 7;

    /** @param ratio samples of a cell along each axis, or 0 for one for each pixel that it begins */
    private record Rule(Node node, boolean average, double scale, long ratio, boolean half) implements ShapedKernel {
        @Override
        public Launch bind(BindContext context) {
            ElementType type = context.inputType(0);
            return new RoiAlign(
                    this,
                    type,
                    context.inputType(1),
                    context.inputType(2),
                    Plane.Stack.of(node, type, context.inputShape(0)),
                    context.outputShape(0));
        }

        private Line line(double from, double to, long cells) {
            double shift = half ? 0.5 : 0;
            double start = from * scale - shift;
            double extent = to * scale - shift - start;
            double cell = (half ? extent : Math.max(extent, 1)) / cells;
            double samples = ratio > 0 ? ratio : Math.ceil(cell);
            if (!Double.isFinite(start) || !Double.isFinite(cell) || samples > MOST_SAMPLES) {
                throw EngineException.invalidArgument(node.describe() + ": a region from " + start + " on takes "
                        + samples + " samples for each cell of " + cell + " pixels; at most " + MOST_SAMPLES
                        + " are possible");
            }
            return new Line(start, cell, (int) Math.max(samples, 0));
        }
    }

    static ShapedKernel kernel(Node node) {
        Attributes attributes = node.attributes();
        long ratio = attributes.integer("sampling_ratio", 0);
        if (ratio < 0 || ratio > MOST_SAMPLES) {
            throw EngineException.invalidGraph(node.describe() + ": attribute 'sampling_ratio' is " + ratio
                    + " where 0 to " + MOST_SAMPLES + " is expected");
        }
        String transform = attributes.text(
                "coordinate_transformation_mode", node.opset() < 16 ? "output_half_pixel" : "half_pixel");
        return new Rule(
                node,
                attributes.text("mode", "avg").equals("avg"),
                attributes.real("spatial_scale", 1),
                ratio,
                transform.equals("half_pixel"));
    }

    @Override
    public void run(LaunchContext run) {
        long grain = Math.max(1, 1024 / Math.max(1, out.elements(2, 4)));
        run.parallelFor(out.dim(0) * images.channels(), grain, this);
    }

    @Override
    public void run(LaunchContext run, long from, long to, Scratch scratch) {
        double[] box = scratch.doubles(BOX_SLOT, 4);
        for (long item = from; item < to; ) {
            long region = item / images.channels();
            long end = Math.min(to, (region + 1) * images.channels());
            Elements.read(boxType, run.input(1), region * 4, box, 0, 4);
            double image = Elements.getDouble(indexType, run.input(2), region);
            Line down = rule.line(box[1], box[3], out.dim(2));
            Line across = rule.line(box[0], box[2], out.dim(3));
            pool(run, item, end, image, down, across, scratch);
            item = end;
        }
    }

    /** Pools channels of a region, as many cells at a time as have few enough samples. */
    private void pool(LaunchContext run, long item, long end, double image, Line down, Line across, Scratch scratch) {
        long rows = out.dim(2);
        long columns = out.dim(3);
        int columnsAtOnce = atOnce(columns, across.samples());
        int rowsAtOnce = columnsAtOnce < columns ? 1 : atOnce(rows, Math.max(down.samples(), columns));
        for (long row = 0; row < rows; row += rowsAtOnce) {
            int tileRows = (int) Math.min(rowsAtOnce, rows - row);
            AxisTaps vertical = AxisTaps.of(scratch, 0, down, row, tileRows, images.height(), rule.average);
            for (long column = 0; column < columns; column += columnsAtOnce) {
                int tileColumns = (int) Math.min(columnsAtOnce, columns - column);
                AxisTaps horizontal =
                        AxisTaps.of(scratch, 1, across, column, tileColumns, images.width(), rule.average);
                var tile = new RoiTile(scratch, vertical, horizontal, type, images.width());
                for (long channel = item; channel < end; channel++) {
                    double[] cells =
                            tile.pool(run, images.at(run.input(0), image, channel % images.channels()), rule.average);
                    long first = (channel * rows + row) * columns + column;
                    Elements.write(type, run.output(0), first, cells, 0, tileRows * tileColumns);
                }
            }
        }
    }

    private static int atOnce(long cells, long each) {
        return (int) Math.clamp(MOST_SAMPLES / Math.max(1, each), 1, Math.max(1, cells));
    }
}
