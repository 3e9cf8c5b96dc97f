package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * GridSample: samples an input of any number of spatial axes at coordinates in [-1, 1], which a grid gives with the
 * last axis first. Each point is a weighted sum over a small box of taps, one, two or four along each axis.
 */
record GridSample(
        Rule rule, ElementType type, ElementType gridType, long[] spatial, long channels, long points, long batches)
        implements Launch, RangeTask {
    private static final int BLOCK = 256;
    /** The points that are computed together from a plane that was read once. */
    private static final int TOGETHER = 4096;

    private static final long MOST_PIXELS = 1 << 24;

    /** The coefficient of cubic convolution (Keys). */
    private static final double CUBIC = -0.75;

    private enum Padding {
        ZEROS,
        BORDER,
        REFLECTION
    }

    private record Rule(int taps, Padding padding, boolean aligned) {}

    static ShapedKernel kernel(Node node) {
        String mode = node.attributes().text("mode", "linear");
        int taps = switch (mode) {
            case "nearest" -> 1;
            case "linear", "bilinear" -> 2;
            case "cubic", "bicubic" -> 4;
            default -> throw EngineException.notImplemented(node.describe() + ": mode '" + mode + "'");
        };
        String padding = node.attributes().text("padding_mode", "zeros");
        Padding kind = switch (padding) {
            case "zeros" -> Padding.ZEROS;
            case "border" -> Padding.BORDER;
            case "reflection" -> Padding.REFLECTION;
            default -> throw EngineException.notImplemented(node.describe() + ": padding_mode '" + padding + "'");
        };
        var rule = new Rule(taps, kind, node.attributes().flag("align_corners", false));
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            long[] spatial = Arrays.copyOfRange(in.toArray(), 2, in.rank());
            return new GridSample(
                    rule,
                    context.inputType(0),
                    context.inputType(1),
                    spatial,
                    in.dim(1),
                    out.elements(2, out.rank()),
                    in.dim(0));
        };
    }

    @Override
    public void run(LaunchContext context) {
        long grain = Math.max(1, 1024 / Math.max(1, channels));
        if (isOfPlanes()) {
            context.parallelFor(batches * points, Math.max(grain, TOGETHER / 2), this::ofPlanes);
        } else {
            context.parallelFor(batches * points, grain, this);
        }
    }

    /** Whether sampling is bilinear with points so many that reading whole planes pays. */
    private boolean isOfPlanes() {
        return rule.taps == 2
                && rule.padding != Padding.REFLECTION
                && spatial.length == 2
                && spatial[0] * spatial[1] <= MOST_PIXELS
                && spatial[0] * spatial[1] / 4 <= points;
    }

    private void ofPlanes(LaunchContext context, long from, long to, Scratch scratch) {
        int height = (int) spatial[0];
        int width = (int) spatial[1];
        int most = (int) Math.min(TOGETHER, points);
        var between = PointsBetween.of(scratch, 0, most, height, width);
        double[] coordinates = scratch.doubles(2, 2 * most);
        double[] x = scratch.doubles(3, most);
        double[] y = scratch.doubles(5, most);
        double[] sums = scratch.doubles(6, most);
        for (long item = from; item < to; ) {
            int count = ofImage(item, (int) Math.min(most, to - item));
            Elements.read(gridType, context.input(1), 2 * item, coordinates, 0, 2 * count);
            scale(coordinates, 0, 2, width, x, count);
            scale(coordinates, 1, 2, height, y, count);
            for (int i = 0; i < count; i++) {
                between.set(i, within(y[i], height), within(x[i], width), 1);
            }
            for (long channel = 0; channel < channels; channel++) {
                context.checkCancelled();
                long plane = item / points * channels + channel;
                between.read(type, context.input(0), plane * height * width);
                between.sum(0, sums, count);
                Elements.write(type, context.output(0), plane * points + item % points, sums, 0, count);
            }
            item += count;
        }
    }

    private double within(double along, int extent) {
        return rule.padding == Padding.BORDER ? Math.max(0, Math.min(along, extent - 1)) : along;
    }

    @Override
    public void run(LaunchContext context, long from, long to, Scratch scratch) {
        var box = Box.of(scratch, spatial.length, rule.taps);
        double[] sums = scratch.doubles(4, BLOCK);
        long plane = 1;
        for (long extent : spatial) {
            plane *= extent;
        }
        for (long item = from; item < to; item += BLOCK) {
            int count = (int) Math.min(BLOCK, to - item);
            place(context.input(1), item, count, box, scratch);
            for (long channel = 0; channel < channels; channel++) {
                Arrays.fill(sums, 0, count, 0);
                for (int row = 0; row < box.rows(); row++) {
                    for (int tap = 0; tap < rule.taps; tap++) {
                        add(context.input(0), channel * plane, box, row * BLOCK, tap * BLOCK, count, sums);
                    }
                }
                write(context.output(0), item, count, channel, sums);
            }
        }
    }

    /** The number of points from {@code item} on that belong to one image. */
    private int ofImage(long item, int count) {
        return (int) Math.min(count, points - item % points);
    }

    private void write(MemorySegment target, long item, int count, long channel, double[] sums) {
        if (channels == 1) {
            Elements.write(type, target, item, sums, 0, count);
            return;
        }
        for (int i = 0; i < count; ) {
            int run = ofImage(item + i, count - i);
            long image = (item + i) / points;
            Elements.write(type, target, (image * channels + channel) * points + (item + i) % points, sums, i, run);
            i += run;
        }
    }

    /**
     * The taps of a block of points, which may be of several images: weights and offsets of the rows of taps, counted
     * from the rows of the first channel on, and those along the last axis. Those of one tap are contiguous.
     */
    private record Box(double[] rowWeights, long[] rowPlaces, double[] weights, long[] places, int rows) {
        static Box of(Scratch scratch, int rank, int taps) {
            int rows = Math.powExact(taps, rank - 1);
            return new Box(
                    scratch.doubles(0, rows * BLOCK),
                    scratch.longs(0, rows * BLOCK),
                    scratch.doubles(1, taps * BLOCK),
                    scratch.longs(1, taps * BLOCK),
                    rows);
        }
    }

    /** Finds the taps of some points, axis by axis. */
    private void place(MemorySegment grid, long item, int count, Box box, Scratch scratch) {
        int rank = spatial.length;
        double[] coordinates = scratch.doubles(2, BLOCK * rank);
        double[] along = scratch.doubles(3, BLOCK);
        double[] taps = scratch.doubles(5, BLOCK);
        Elements.read(gridType, grid, item * rank, coordinates, 0, count * rank);
        Arrays.fill(box.rowWeights(), 0, count, 1);
        for (int i = 0; i < count; ) {
            int run = ofImage(item + i, count - i);
            Arrays.fill(box.rowPlaces(), i, i + run, (item + i) / points * channels);
            i += run;
        }
        int filled = 1;
        for (int axis = 0; axis < rank; axis++) {
            scale(coordinates, rank - 1 - axis, rank, spatial[axis], along, count);
            for (int tap = 0; tap < rule.taps; tap++) {
                taps(along, tap, spatial[axis], box, taps, count);
            }
            for (int row = filled * rule.taps - 1; row >= 0 && axis < rank - 1; row--) {
                int before = row / rule.taps * BLOCK;
                multiply(box, before, row * BLOCK, row % rule.taps * BLOCK, count, spatial[axis]);
            }
            filled *= rule.taps;
        }
    }

    private static void multiply(Box box, int before, int after, int tap, int count, long extent) {
        double[] weights = box.rowWeights();
        long[] places = box.rowPlaces();
        for (int i = 0; i < count; i++) {
            weights[after + i] = weights[before + i] * box.weights()[tap + i];
            places[after + i] = places[before + i] * extent + box.places()[tap + i];
        }
    }

    private void add(MemorySegment source, long channel, Box box, int row, int tap, int count, double[] sums) {
        long extent = spatial[spatial.length - 1];
        if (type == ElementType.FLOAT) {
            addFloats(source, channel, extent, box, row, tap, count, sums);
            return;
        }
        for (int i = 0; i < count; i++) {
            double weight = box.rowWeights()[row + i] * box.weights()[tap + i];
            if (weight != 0) {
                long at = channel + box.rowPlaces()[row + i] * extent + box.places()[tap + i];
                sums[i] += weight * Elements.getDouble(type, source, at);
            }
        }
    }

    private static void addFloats(
            MemorySegment source, long channel, long extent, Box box, int row, int tap, int count, double[] sums) {
        double[] rowWeights = box.rowWeights();
        double[] weights = box.weights();
        long[] rowPlaces = box.rowPlaces();
        long[] places = box.places();
        for (int i = 0; i < count; i++) {
            double weight = rowWeights[row + i] * weights[tap + i];
            if (weight != 0) {
                long at = channel + rowPlaces[row + i] * extent + places[tap + i];
                sums[i] += weight * source.get(ByteLayouts.FLOAT, at * Float.BYTES);
            }
        }
    }

    /** Computes the coordinates of points along an axis, counted in elements. */
    private void scale(double[] coordinates, int from, int step, long extent, double[] along, int count) {
        double factor = (rule.aligned ? extent - 1 : extent) / 2.0;
        double shift = rule.aligned ? 0 : -0.5;
        for (int i = 0; i < count; i++) {
            along[i] = (coordinates[from + i * step] + 1) * factor + shift;
        }
    }

    /** Computes one tap of points along one axis. A tap outside that counts as zero has weight zero. */
    private void taps(double[] along, int number, long extent, Box box, double[] taps, int count) {
        int first = number * BLOCK;
        double[] weights = box.weights();
        if (rule.taps == 1) {
            for (int i = 0; i < count; i++) {
                taps[i] = Math.rint(along[i]);
                weights[i] = 1;
            }
        } else if (rule.taps == 2) {
            for (int i = 0; i < count; i++) {
                taps[i] = Math.floor(along[i]) + number;
                weights[first + i] = 1 - Math.abs(along[i] - taps[i]);
            }
        } else {
            for (int i = 0; i < count; i++) {
                taps[i] = Math.floor(along[i]) - 1 + number;
            }
            cubic(along, taps, number == 1 || number == 2, weights, first, count);
        }
        long[] places = box.places();
        for (int i = 0; i < count; i++) {
            places[first + i] = clamped(taps[i], extent);
        }
        for (int i = 0; i < count && rule.padding != Padding.BORDER; i++) {
            if (taps[i] >= 0 && taps[i] < extent) {
                continue;
            }
            if (rule.padding == Padding.ZEROS) {
                weights[first + i] = 0;
            } else {
                places[first + i] = reflected(taps[i], extent);
            }
        }
    }

    /** Computes the weights of an inner tap, next to the points, or of an outer one. */
    private static void cubic(double[] along, double[] taps, boolean next, double[] weights, int first, int count) {
        for (int i = 0; i < count && next; i++) {
            weights[first + i] = AxisResampling.cubicNear(CUBIC, Math.abs(along[i] - taps[i]));
        }
        for (int i = 0; i < count && !next; i++) {
            weights[first + i] = AxisResampling.cubicFar(CUBIC, Math.abs(along[i] - taps[i]));
        }
    }

    private static long clamped(double tap, long extent) {
        return Math.max(0, Math.min((long) tap, extent - 1));
    }

    private long reflected(double tap, long extent) {
        double low = rule.aligned ? 0 : -0.5;
        double high = rule.aligned ? extent - 1 : extent - 0.5;
        double range = high - low;
        if (range <= 0 || Double.isNaN(tap)) {
            return 0;
        }
        double away = Math.abs(tap - low) % (2 * range);
        return clamped(Math.rint(away > range ? high - (away - range) : low + away), extent);
    }
}
