package dev.millrace.kernels.pool;

import dev.millrace.kernels.image.Axis;

/**
 * The shape of the images and the windows over them. Shapes with fewer than three dimensions are
 * {@linkplain Axis#pointwise(int) pointwise} along axes of size 1.
 */
public record WindowShape(int batch, int channels, Axis depth, Axis height, Axis width) {
    private static final int UNROLLED = 16;
    private static final int MAX_ROWS = 1 << 20;
    private static final double MAX_PIXELS = 1L << 40;

    public WindowShape {
        if (batch < 0 || channels < 1) {
            throw new IllegalArgumentException("windows over " + batch + " images of " + channels + " channels");
        }
        checkPixels("over", depth.in(), height.in(), width.in());
        checkPixels("to", depth.out(), height.out(), width.out());
    }

    private static void checkPixels(String where, int planes, int rows, int columns) {
        if ((double) planes * rows * columns > MAX_PIXELS) {
            throw new IllegalArgumentException("windows " + where + " images of " + planes + " x " + rows + " x "
                    + columns + " pixels: up to 2^40 can be");
        }
    }

    /** Returns the shape of windows over two-dimensional images. */
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

    /**
     * Returns an equivalent shape if one window covers a whole image, else this shape. Blocks of channels are
     * contiguous, so they become the rows of windows over one block, unless they are very many, and the rows of taps
     * get a length that suits the kernels.
     *
     * @param lanes channels in a block
     */
    WindowShape reshaped(int lanes) {
        if (!isWhole(depth) || !isWhole(height) || !isWhole(width)) {
            return this;
        }
        int row = UNROLLED;
        while (taps() % row != 0) {
            row--;
        }
        if (row < UNROLLED / 2) {
            row = width.taps();
        }
        int rows = taps() / row;
        int blocks = Math.ceilDiv(channels, lanes);
        int together = (long) rows * blocks <= MAX_ROWS ? blocks : 1;
        Axis windows = new Axis(rows * together, together, rows, rows, 1, 0);
        Axis columns = new Axis(row, 1, row, 1, 1, 0);
        return new WindowShape(batch, together > 1 ? lanes : channels, Axis.pointwise(1), windows, columns);
    }
}
