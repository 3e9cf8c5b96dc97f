package dev.millrace.providers.cpu.norm;

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

/**
 * BatchNormalization. In inference each channel is scaled and shifted by its running mean and variance. In training
 * mode it is normalised by those of the batch, and the running ones are moved towards them.
 */
record BatchNormKernel(Node node) implements ShapedKernel {
    private static final int BLOCK = 2048;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        ElementType parameters = context.inputType(1);
        ElementType statistics = context.inputType(3);
        Shape shape = context.inputShape(0);
        long channels = shape.rank() > 1 ? shape.dim(1) : 1;
        long spatial = shape.rank() > 1 ? shape.elements(2, shape.rank()) : 1;
        double epsilon = node.attributes().real("epsilon", 1e-5f);
        if (node.opset() >= 14 && node.attributes().isOne("training_mode", false)) {
            var training = new Training(
                    type,
                    parameters,
                    statistics,
                    channels,
                    spatial,
                    shape.elements(),
                    epsilon,
                    node.attributes().real("momentum", 0.9f),
                    hasOutput(context, 1),
                    hasOutput(context, 2));
            return launch -> launch.parallelFor(channels, 1, training);
        }
        context.mayReuse(0, 0);
        RangeTask task = (launch, from, to, scratch) -> {
            float[] block = scratch.floats(0, BLOCK);
            double[] wide = scratch.doubles(0, BLOCK);
            for (long row = from; row < to; row++) {
                long c = row % channels;
                double factor = Elements.getDouble(parameters, launch.input(1), c)
                        / Math.sqrt(Elements.getDouble(statistics, launch.input(4), c) + epsilon);
                double shift = Elements.getDouble(parameters, launch.input(2), c)
                        - factor * Elements.getDouble(statistics, launch.input(3), c);
                for (long at = row * spatial; at < (row + 1) * spatial; at += BLOCK) {
                    int count = (int) Math.min(BLOCK, (row + 1) * spatial - at);
                    if (type == ElementType.DOUBLE) {
                        Elements.read(type, launch.input(0), at, wide, 0, count);
                        scale(wide, count, factor, shift);
                        Elements.write(type, launch.output(0), at, wide, 0, count);
                    } else {
                        Elements.read(type, launch.input(0), at, block, 0, count);
                        scale(block, count, (float) factor, (float) shift);
                        Elements.write(type, launch.output(0), at, block, 0, count);
                    }
                }
            }
        };
        long rows = spatial == 0 ? 0 : shape.elements() / spatial;
        long grain = Math.max(1, 4096 / Math.max(1, spatial));
        return launch -> launch.parallelFor(rows, grain, task);
    }

    private static boolean hasOutput(BindContext context, int output) {
        return output < context.outputCount() && context.hasOutput(output);
    }

    private static void scale(double[] x, int count, double factor, double shift) {
        for (int i = 0; i < count; i++) {
            x[i] = x[i] * factor + shift;
        }
    }

    private static void scale(float[] x, int count, float factor, float shift) {
        for (int i = 0; i < count; i++) {
            x[i] = x[i] * factor + shift;
        }
    }

    /** The task of training mode, which normalises one channel at a time over all images of the batch. */
    private record Training(
            ElementType type,
            ElementType parameters,
            ElementType statistics,
            long channels,
            long spatial,
            long elements,
            double epsilon,
            double momentum,
            boolean movesMean,
            boolean movesVariance)
            implements RangeTask {

        @Override
        public void run(LaunchContext launch, long from, long to, Scratch scratch) {
            int count = ArrayExtents.toInt("elements of a channel", elements / channels);
            int run = Math.toIntExact(spatial);
            double[] values = scratch.doubles(0, count);
            for (long c = from; c < to; c++) {
                for (int at = 0; at < count; at += run) {
                    launch.checkCancelled();
                    Elements.read(type, launch.input(0), place(c, at), values, at, run);
                }
                double mean = Moments.mean(launch, values, count);
                double variance = Moments.squares(launch, values, count, mean) / count;
                double factor = Elements.getDouble(parameters, launch.input(1), c) / Math.sqrt(variance + epsilon);
                double shift = Elements.getDouble(parameters, launch.input(2), c);
                for (int i = 0; i < count; i++) {
                    values[i] = (values[i] - mean) * factor + shift;
                }
                for (int at = 0; at < count; at += run) {
                    launch.checkCancelled();
                    Elements.write(type, launch.output(0), place(c, at), values, at, run);
                }
                if (movesMean) {
                    move(launch, 1, 3, c, mean);
                }
                if (movesVariance) {
                    move(launch, 2, 4, c, variance);
                }
            }
        }

        /** Returns the index of the first element of the image that holds element {@code at} of a channel. */
        private long place(long channel, long at) {
            return (at / spatial * channels + channel) * spatial;
        }

        private void move(LaunchContext launch, int output, int input, long c, double seen) {
            double running = Elements.getDouble(statistics, launch.input(input), c);
            Elements.setDouble(statistics, launch.output(output), c, running * momentum + seen * (1 - momentum));
        }
    }
}
