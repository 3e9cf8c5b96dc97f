package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;

/** A matrix of samples and features of any numeric type. A single axis is one sample. */
record SampleMatrix(ElementType type, long count, int features) {
    /** The number of features that are read together. */
    private static final int BLOCK = 512;
    /** The number of features that are read together where each block walks all trees. */
    private static final int LARGE_BLOCK = 2048;

    private static final int LAST_SLOT = 7;

    static SampleMatrix of(BindContext context, int input) {
        Shape shape = context.inputShape(input);
        long count = shape.rank() < 2 ? 1 : shape.dim(0);
        long features = shape.rank() == 0 ? 1 : shape.rank() == 1 ? shape.dim(0) : shape.elements(1, shape.rank());
        return new SampleMatrix(context.inputType(input), count, ArrayExtents.toInt("features", features));
    }

    /** A task that computes the results of one sample from its features. */
    @FunctionalInterface
    interface RowTask {
        void run(LaunchContext context, long row, double[] features, Scratch scratch);
    }

    /** A task that computes the results of several samples from their features. */
    @FunctionalInterface
    interface BlockTask {
        void run(LaunchContext context, long row, int rows, double[] features, Scratch scratch);
    }

    /** Runs a task for several samples at a time. */
    Launch together(BlockTask task) {
        return together(LARGE_BLOCK, task);
    }

    private Launch together(int most, BlockTask task) {
        RangeTask range = (context, from, to, scratch) -> {
            int together = Math.max(1, most / Math.max(1, features));
            double[] block =
                    scratch.doubles(LAST_SLOT, ArrayExtents.product("features of samples", together, features));
            for (long row = from; row < to; row += together) {
                int rows = (int) Math.min(together, to - row);
                Elements.read(type, context.input(0), row * features, block, 0, rows * features);
                task.run(context, row, rows, block, scratch);
            }
        };
        return context -> context.parallelFor(count, 64, range);
    }

    /** Runs a task for each sample. The features are in slot 0 of the doubles. */
    Launch each(RowTask task) {
        return together(BLOCK, (context, first, rows, block, scratch) -> {
            double[] x = scratch.doubles(0, features);
            for (int i = 0; i < rows; i++) {
                System.arraycopy(block, i * features, x, 0, features);
                context.checkCancelled();
                task.run(context, first + i, x, scratch);
            }
        });
    }
}
