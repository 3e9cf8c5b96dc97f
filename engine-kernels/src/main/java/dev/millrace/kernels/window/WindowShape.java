package dev.millrace.kernels.window;

import dev.millrace.kernels.conv.Axis;

/**
 * What windows slide over. Fewer dimensions have {@linkplain Axis#pointwise(int) nothing sliding} along axes of size 1.
 */
public record WindowShape(int batch, int channels, Axis depth, Axis height, Axis width) {
    private static final int UNROLLED = 16;

    public WindowShape {
        if (batch < 0 || channels < 1) {
            throw new IllegalArgumentException("windows over " + batch + " images of " + channels + " channels");
        }
    }

    /** Of flat images. */
    public static WindowShape flat(int batch, int channels, Axis height, Axis width) {
        return new WindowShape(batch, channels, Axis.pointwise(1), height, width);
    }

    public long inPixels() {
        return (long) depth.in() * height.in() * width.in();
    }

    public long outPixels() {
        return (long) depth.out() * height.out() * width.out();
    }

    int taps() {
        return Math.multiplyExact(Math.multiplyExact(depth.taps(), height.taps()), width.taps());
    }

    private static boolean isWhole(Axis axis) {
        return axis.out() == 1 && axis.taps() == axis.in() && axis.dilation() == 1 && axis.before() == 0;
    }

    /** The same over rows of a good length where one window takes a whole image. */
    WindowShape reshaped() {
        if (!isWhole(depth) || !isWhole(height) || !isWhole(width)) {
            return this;
        }
        int taps = taps();
        int row = UNROLLED;
        while (taps % row != 0) {
            row--;
        }
        Axis rows = Axis.of(taps / row, taps / row, 1, 1, 0, 0);
        return new WindowShape(batch, channels, Axis.pointwise(1), rows, Axis.of(row, row, 1, 1, 0, 0));
    }
}
