package dev.millrace.kernels.conv;

import dev.millrace.kernels.image.Axis;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Convolutions in double, and the elements of images in NCHW and NCHWc. */
final class ConvReference {
    static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private ConvReference() {}

    /**
     * Returns the index of an element of an image in blocks of {@code inBlock} channels; blocks of one channel are
     * NCHW.
     */
    static long index(int inBlock, int channels, long pixels, int image, int channel, long pixel) {
        long blocks = (channels + inBlock - 1) / inBlock;
        return ((image * blocks + channel / inBlock) * pixels + pixel) * inBlock + channel % inBlock;
    }

    /**
     * A sum of products.
     *
     * @param size the sum of their magnitudes, on which the rounding error of any order of summation depends
     */
    record Sum(double value, double size) {}

    /** Returns the sum for an output, without bias. */
    static Sum sum(
            ConvShape shape,
            MemorySegment in,
            int inBlock,
            MemorySegment weights,
            int image,
            int out,
            int z,
            int y,
            int x) {
        int group = out / shape.groupOutChannels();
        double sum = 0;
        double size = 0;
        for (int channel = 0; channel < shape.groupChannels(); channel++) {
            for (int tz = 0; tz < shape.depth().taps(); tz++) {
                for (int ty = 0; ty < shape.height().taps(); ty++) {
                    for (int tx = 0; tx < shape.width().taps(); tx++) {
                        int iz = input(shape.depth(), z, tz);
                        int iy = input(shape.height(), y, ty);
                        int ix = input(shape.width(), x, tx);
                        if (iz < 0 || iy < 0 || ix < 0) {
                            continue;
                        }
                        long pixel = ((long) iz * shape.height().in() + iy)
                                        * shape.width().in()
                                + ix;
                        long at = index(
                                inBlock,
                                shape.channels(),
                                shape.inPixels(),
                                image,
                                group * shape.groupChannels() + channel,
                                pixel);
                        long weight = ((((long) out * shape.groupChannels() + channel)
                                                                        * shape.depth()
                                                                                .taps()
                                                                + tz)
                                                        * shape.height().taps()
                                                + ty)
                                        * shape.width().taps()
                                + tx;
                        double product = (double) in.getAtIndex(FLOAT, at) * weights.getAtIndex(FLOAT, weight);
                        sum += product;
                        size += Math.abs(product);
                    }
                }
            }
        }
        return new Sum(sum, size);
    }

    private static int input(Axis axis, int output, int tap) {
        int input = output * axis.stride() - axis.before() + tap * axis.dilation();
        return input < axis.in() ? input : -1;
    }

    /** Sets the lanes behind the last channel to NaN, which no kernel may read. */
    static void spoilPadding(MemorySegment images, int lanes, int channels, long pixels, int count) {
        long blocks = (channels + lanes - 1) / lanes;
        for (int image = 0; image < count; image++) {
            for (long pixel = 0; pixel < pixels; pixel++) {
                for (int lane = channels - (int) (blocks - 1) * lanes; lane < lanes; lane++) {
                    long at = ((image * blocks + blocks - 1) * pixels + pixel) * lanes + lane;
                    images.setAtIndex(FLOAT, at, Float.NaN);
                }
            }
        }
    }
}
