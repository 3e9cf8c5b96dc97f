package dev.millrace.kernels.conv;

/**
 * Where the outputs of a convolution go in a larger image: every so-many-th pixel of each axis.
 *
 * @param start of the first output, in pixels
 * @param pixel from one output of a row to the next, in pixels
 * @param row from one row to the next
 * @param plane from one plane to the next
 * @param pixels of a channel of the image
 */
record Placement(long start, int pixel, long row, long plane, long pixels) {
    static Placement dense(ConvShape shape) {
        long row = shape.width().out();
        return new Placement(0, 1, row, row * shape.height().out(), shape.outPixels());
    }
}
