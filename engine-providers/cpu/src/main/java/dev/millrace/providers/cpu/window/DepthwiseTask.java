package dev.millrace.providers.cpu.window;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;

/**
 * A convolution over one or two axes in which each channel has one filter of its own. An item is one channel of one
 * image, which is read into an array with its padding around it.
 */
final class DepthwiseTask implements RangeTask {
    private final ElementType type;
    private final int channels;
    private final boolean bias;
    private final int inHeight;
    private final int inWidth;
    private final int outHeight;
    private final int outWidth;
    private final int kernelHeight;
    private final int kernelWidth;
    private final int rowStride;
    private final int columnStride;
    private final int rowDilation;
    private final int columnDilation;
    private final int top;
    private final int left;
    private final int height;
    private final int width;

    DepthwiseTask(Window window, ElementType type, int channels, boolean bias) {
        this.type = type;
        this.channels = channels;
        this.bias = bias;
        int last = window.axes() - 1;
        boolean flat = last == 0;
        this.inHeight = flat ? 1 : window.in()[0];
        this.inWidth = window.in()[last];
        this.outHeight = flat ? 1 : window.out()[0];
        this.outWidth = window.out()[last];
        this.kernelHeight = flat ? 1 : window.kernel()[0];
        this.kernelWidth = window.kernel()[last];
        this.rowStride = flat ? 1 : window.strides()[0];
        this.columnStride = window.strides()[last];
        this.rowDilation = flat ? 1 : window.dilations()[0];
        this.columnDilation = window.dilations()[last];
        this.top = flat ? 0 : window.padsBefore()[0];
        this.left = window.padsBefore()[last];
        this.height = Math.max(top + inHeight, (outHeight - 1) * rowStride + (kernelHeight - 1) * rowDilation + 1);
        this.width = Math.max(left + inWidth, (outWidth - 1) * columnStride + (kernelWidth - 1) * columnDilation + 1);
    }

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        int taps = kernelHeight * kernelWidth;
        int inSize = inHeight * inWidth;
        int outSize = outHeight * outWidth;
        float[] weights = scratch.floats(0, taps);
        float[] image = scratch.floats(1, inSize);
        float[] sums = scratch.floats(2, outWidth);
        float[] padded = scratch.zeroedFloats(3, ArrayExtents.product("places of a padded image", height, width));
        for (long plane = from; plane < to; plane++) {
            long channel = plane % channels;
            Elements.read(type, launch.input(1), channel * taps, weights, 0, taps);
            Elements.read(type, launch.input(0), plane * inSize, image, 0, inSize);
            place(image, padded);
            float start = bias ? (float) Elements.getDouble(type, launch.input(2), channel) : 0f;
            for (int y = 0; y < outHeight; y++) {
                Arrays.fill(sums, 0, outWidth, start);
                row(launch, padded, y * rowStride * width, weights, sums);
                Elements.write(type, launch.output(0), plane * outSize + (long) y * outWidth, sums, 0, outWidth);
            }
        }
    }

    /** Copies an image to where its padding ends; negative padding cuts its first rows and columns off. */
    private void place(float[] image, float[] padded) {
        int firstColumn = Math.max(0, -left);
        int columns = inWidth - firstColumn;
        for (int y = Math.max(0, -top); columns > 0 && y < inHeight; y++) {
            System.arraycopy(image, y * inWidth + firstColumn, padded, (top + y) * width + left + firstColumn, columns);
        }
    }

    private void row(LaunchContext launch, float[] padded, int first, float[] weights, float[] sums) {
        for (int y = 0; y < kernelHeight; y++) {
            launch.checkCancelled();
            int at = first + y * rowDilation * width;
            int tap = y * kernelWidth;
            int x = 0;
            for (; x + 3 <= kernelWidth; x += 3) {
                int next = at + x * columnDilation;
                three(padded, next, columnDilation, columnStride, weights, tap + x, sums, outWidth);
            }
            for (; x < kernelWidth; x++) {
                one(padded, at + x * columnDilation, columnStride, weights[tap + x], sums, outWidth);
            }
        }
    }

    private static void three(
            float[] from, int at, int apart, int stride, float[] weights, int tap, float[] sums, int count) {
        float a = weights[tap];
        float b = weights[tap + 1];
        float c = weights[tap + 2];
        for (int i = 0, p = at; i < count; i++, p += stride) {
            sums[i] = Math.fma(c, from[p + 2 * apart], Math.fma(b, from[p + apart], Math.fma(a, from[p], sums[i])));
        }
    }

    private static void one(float[] from, int at, int stride, float weight, float[] sums, int count) {
        for (int i = 0, p = at; i < count; i++, p += stride) {
            sums[i] = Math.fma(weight, from[p], sums[i]);
        }
    }
}
