package dev.millrace.kernels.conv;

/**
 * The positions of the outputs of a convolution in a larger image: every n-th pixel of each axis.
 *
 * @param start the first output, in pixels
 * @param pixel pixels from one output of a row to the next
 * @param row pixels from one row to the next
 * @param plane pixels from one plane to the next
 * @param pixels pixels of a channel of the image
 */
record Placement(long start, int pixel, long row, long plane, long pixels) {
    static Placement dense(ConvShape shape) {
        long row = shape.width().out();
        return new Placement(0, 1, row, row * shape.height().out(), shape.outPixels());
    }
}
