package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Reads an input of any number of spatial axes at coordinates in [-1, 1], which a grid gives with the last axis first. Each
 * point is a weighted sum over a small box of taps, one, two or four along each axis.
 */
record GridSample(
        Rule rule, ElementType type, ElementType gridType, long[] spatial, long channels, long points, long batches)
        implements Launch, RangeTask {
    private static final int BLOCK = 256;

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
        context.parallelFor(batches * points, Math.max(1, 1024 / Math.max(1, channels)), this);
    }

    @Override
    public void run(LaunchContext context, long from, long to, Scratch scratch) {
        var box = new Box(scratch, spatial.length, rule.taps);
        double[] sums = scratch.doubles(4, BLOCK);
        long plane = 1;
        for (long extent : spatial) {
            plane *= extent;
        }
        for (long item = from; item < to; ) {
            long batch = item / points;
            long point = item % points;
            int count = (int) Math.min(BLOCK, Math.min(to - item, points - point));
            place(context.input(1), item, count, box, scratch);
            for (long channel = batch * channels; channel < (batch + 1) * channels; channel++) {
                Arrays.fill(sums, 0, count, 0);
                for (int tap = 0; tap < box.size(); tap++) {
                    add(context.input(0), channel * plane, box, tap * BLOCK, count, sums);
                }
                Elements.write(type, context.output(0), channel * points + point, sums, 0, count);
            }
            item += count;
        }
    }

    /** The taps of a block of points: their weights, and their offsets in a channel, those of one tap side by side. */
    private record Box(double[] weights, long[] offsets, int size) {
        Box(Scratch scratch, int rank, int taps) {
            this(scratch, Math.powExact(taps, rank));
        }

        private Box(Scratch scratch, int size) {
            this(scratch.doubles(0, size * BLOCK), scratch.longs(0, size * BLOCK), size);
        }
    }

    /** Finds the taps of some points, axis by axis. */
    private void place(MemorySegment grid, long item, int count, Box box, Scratch scratch) {
        int rank = spatial.length;
        double[] coordinates = scratch.doubles(1, BLOCK * rank);
        double[] weights = scratch.doubles(2, BLOCK * rule.taps);
        long[] offsets = scratch.longs(1, BLOCK * rule.taps);
        Elements.read(gridType, grid, item * rank, coordinates, 0, count * rank);
        Arrays.fill(box.weights(), 0, count, 1);
        Arrays.fill(box.offsets(), 0, count, 0);
        int filled = 1;
        for (int axis = 0; axis < rank; axis++) {
            for (int i = 0; i < count; i++) {
                taps(coordinates[i * rank + rank - 1 - axis], spatial[axis], offsets, weights, i);
            }
            for (int tap = filled * rule.taps - 1; tap >= 0; tap--) {
                int before = tap / rule.taps * BLOCK;
                multiply(box, before, tap * BLOCK, offsets, weights, tap % rule.taps * BLOCK, count, axis);
            }
            filled *= rule.taps;
        }
    }

    private void multiply(
            Box box, int before, int after, long[] offsets, double[] weights, int ofAxis, int count, int axis) {
        for (int i = 0; i < count; i++) {
            box.weights()[after + i] = box.weights()[before + i] * weights[ofAxis + i];
            box.offsets()[after + i] = box.offsets()[before + i] * spatial[axis] + offsets[ofAxis + i];
        }
    }

    private void add(MemorySegment source, long channel, Box box, int first, int count, double[] sums) {
        boolean floats = type == ElementType.FLOAT;
        for (int i = 0; i < count; i++) {
            double weight = box.weights()[first + i];
            if (weight != 0) {
                long at = channel + box.offsets()[first + i];
                sums[i] += weight
                        * (floats ? source.get(Layouts.FLOAT, at * Float.BYTES) : Elements.getDouble(type, source, at));
            }
        }
    }

    /** The taps of point {@code i} along one axis; one that is outside and counts as zero has weight zero. */
    private void taps(double x, long extent, long[] offsets, double[] weights, int i) {
        double at = rule.aligned ? (x + 1) / 2 * (extent - 1) : ((x + 1) * extent - 1) / 2;
        if (rule.taps == 1) {
            put(i, Math.rint(at), 1, extent, offsets, weights);
            return;
        }
        double first = Math.floor(at) - (rule.taps == 4 ? 1 : 0);
        for (int k = 0; k < rule.taps; k++) {
            double tap = first + k;
            double distance = Math.abs(at - tap);
            double weight = rule.taps == 2 ? 1 - distance : ResizeAxis.cubic(-0.75, distance);
            put(k * BLOCK + i, tap, weight, extent, offsets, weights);
        }
    }

    private void put(int index, double tap, double weight, long extent, long[] offsets, double[] weights) {
        if (tap >= 0 && tap < extent) {
            weights[index] = weight;
            offsets[index] = (long) tap;
        } else {
            weights[index] = rule.padding == Padding.ZEROS ? 0 : weight;
            offsets[index] = rule.padding == Padding.REFLECTION ? reflected(tap, extent) : clamped(tap, extent);
        }
    }

    private static long clamped(double tap, long extent) {
        return (long) Math.clamp(tap, 0.0, (double) (extent - 1));
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
