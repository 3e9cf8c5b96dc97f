package dev.millrace.providers.cpu.window;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The right operand of a convolution as a matrix product: row (channel, tap), column output position. Nothing of it is
 * kept; blocks are read from the image when the product asks.
 */
record Im2Col(Window window, ElementType type) {

    /** Reads rows {@code [at, at + depth)} of a block of columns, of the group of channels that starts at {@code base}. */
    void read(
            MemorySegment image, long base, int at, int depth, int column, int columns, float[][] to, Scratch scratch) {
        int taps = window.kernelSize();
        for (int r = 0; r < depth; r++) {
            long plane = base + (long) ((at + r) / taps) * window.inSize();
            line(image, plane, (at + r) % taps, column, columns, to[r], scratch);
        }
    }

    /** One tap of one channel at a run of output positions, row of the output by row. */
    private void line(MemorySegment image, long plane, int tap, int column, int columns, float[] to, Scratch scratch) {
        int last = window.axes() - 1;
        int width = window.out()[last];
        for (int done = 0; done < columns; ) {
            int position = column + done;
            int x = position % width;
            int run = Math.min(width - x, columns - done);
            row(image, plane, position / width, tap, x, run, to, done, scratch);
            done += run;
        }
    }

    private void row(
            MemorySegment image, long plane, int outRow, int tap, int x, int run, float[] to, int at, Scratch scratch) {
        int last = window.axes() - 1;
        int inner = window.in()[last];
        long start = window.row(outRow, tap / window.kernel()[last]);
        if (start < 0) {
            Arrays.fill(to, at, at + run, 0f);
            return;
        }
        int stride = window.strides()[last];
        int shift = tap % window.kernel()[last] * window.dilations()[last] - window.padsBefore()[last];
        int low = Math.clamp(Math.ceilDiv(-shift, stride), x, x + run);
        int high = Math.clamp(Math.floorDiv(inner - 1 - shift, stride) + 1, low, x + run);
        Arrays.fill(to, at, at + low - x, 0f);
        Arrays.fill(to, at + high - x, at + run, 0f);
        if (high == low) {
            return;
        }
        long first = plane + start * inner + (long) low * stride + shift;
        if (stride == 1) {
            Elements.read(type, image, first, to, at + low - x, high - low);
            return;
        }
        int span = (high - low - 1) * stride + 1;
        float[] line = scratch.floats(1, span);
        Elements.read(type, image, first, line, 0, span);
        for (int i = 0, from = 0; i < high - low; i++, from += stride) {
            to[at + low - x + i] = line[from];
        }
    }
}
