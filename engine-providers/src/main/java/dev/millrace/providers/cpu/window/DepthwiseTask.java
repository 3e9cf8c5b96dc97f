package dev.millrace.providers.cpu.window;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.product.RowKernels;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Scratch;
import java.util.Arrays;

/** A convolution in which each channel has one filter of its own. An item is one channel of one image. */
record DepthwiseTask(Window window, ElementType type, int channels, boolean bias) implements RangeTask {
    private static final int COLUMNS = 512;

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        int taps = window.kernelSize();
        int padded = (taps + 3) & ~3;
        int size = window.outSize();
        Patches patches = new Patches(window, type);
        float[] weights = scratch.floats(0, padded);
        float[][] panel = scratch.rows(1, padded, COLUMNS);
        float[][] sums = scratch.rows(0, 1, COLUMNS);
        for (long plane = from; plane < to; plane++) {
            long channel = plane % channels;
            Elements.read(type, launch.input(1), channel * taps, weights, 0, taps);
            Arrays.fill(weights, taps, padded, 0f);
            float start = bias ? (float) Elements.getDouble(type, launch.input(2), channel) : 0f;
            for (int column = 0; column < size; column += COLUMNS) {
                int count = Math.min(COLUMNS, size - column);
                Arrays.fill(sums[0], 0, count, start);
                patches.read(launch.input(0), plane * window.inSize(), 0, taps, column, count, panel, scratch);
                for (int r = taps; r < padded; r++) {
                    Arrays.fill(panel[r], 0, count, 0f);
                }
                RowKernels.accumulate(sums, 1, weights, padded, panel, padded, count);
                Elements.write(type, launch.output(0), plane * size + column, sums[0], 0, count);
            }
        }
    }
}
