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
        int rank = spatial.length;
        int box = 1;
        for (int i = 0; i < rank; i++) {
            box *= rule.taps;
        }
        double[] weights = scratch.doubles(0, box);
        long[] offsets = scratch.longs(0, box);
        double[] axisWeights = scratch.doubles(1, 4);
        long[] axisOffsets = scratch.longs(1, 4);
        long plane = 1;
        for (long extent : spatial) {
            plane *= extent;
        }
        MemorySegment source = context.input(0);
        double[] coordinates = scratch.doubles(2, BLOCK * rank);
        for (long item = from; item < to; item++) {
            int inBlock = (int) ((item - from) % BLOCK);
            if (inBlock == 0) {
                int count = (int) Math.min(BLOCK, to - item) * rank;
                Elements.read(gridType, context.input(1), item * rank, coordinates, 0, count);
            }
            int filled = 1;
            weights[0] = 1;
            offsets[0] = 0;
            for (int axis = 0; axis < rank; axis++) {
                taps(coordinates[inBlock * rank + rank - 1 - axis], spatial[axis], axisOffsets, axisWeights);
                for (int i = filled - 1; i >= 0; i--) {
                    double weight = weights[i];
                    long offset = offsets[i] * spatial[axis];
                    for (int k = 0; k < rule.taps; k++) {
                        weights[i * rule.taps + k] = weight * axisWeights[k];
                        offsets[i * rule.taps + k] = offset + axisOffsets[k];
                    }
                }
                filled *= rule.taps;
            }
            long batch = item / points;
            long target = batch * channels * points + item % points;
            long base = batch * channels * plane;
            for (long channel = 0; channel < channels; channel++, base += plane, target += points) {
                double sum = type == ElementType.FLOAT
                        ? sumOfFloats(source, base, offsets, weights, box)
                        : sum(source, base, offsets, weights, box);
                Elements.setDouble(type, context.output(0), target, sum);
            }
        }
    }

    private static double sumOfFloats(MemorySegment source, long base, long[] offsets, double[] weights, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            if (weights[i] != 0) {
                sum += weights[i] * source.get(Layouts.FLOAT, (base + offsets[i]) * Float.BYTES);
            }
        }
        return sum;
    }

    private double sum(MemorySegment source, long base, long[] offsets, double[] weights, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            if (weights[i] != 0) {
                sum += weights[i] * Elements.getDouble(type, source, base + offsets[i]);
            }
        }
        return sum;
    }

    /** The taps along one axis; one that is outside and counts as zero has weight zero. */
    private void taps(double x, long extent, long[] offsets, double[] weights) {
        double at = rule.aligned ? (x + 1) / 2 * (extent - 1) : ((x + 1) * extent - 1) / 2;
        if (rule.taps == 1) {
            put(0, Math.rint(at), 1, extent, offsets, weights);
            return;
        }
        double first = Math.floor(at) - (rule.taps == 4 ? 1 : 0);
        for (int k = 0; k < rule.taps; k++) {
            double tap = first + k;
            double distance = Math.abs(at - tap);
            double weight = rule.taps == 2 ? 1 - distance : ResizeAxis.cubic(-0.75, distance);
            put(k, tap, weight, extent, offsets, weights);
        }
    }

    private void put(int k, double tap, double weight, long extent, long[] offsets, double[] weights) {
        if (tap >= 0 && tap < extent) {
            weights[k] = weight;
            offsets[k] = (long) tap;
        } else {
            weights[k] = rule.padding == Padding.ZEROS ? 0 : weight;
            offsets[k] = rule.padding == Padding.REFLECTION ? reflected(tap, extent) : clamped(tap, extent);
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
