package dev.millrace.kernels.image;

/**
 * The order of images whose channels lie in blocks as wide as a vector: image, block, plane, row, column, channel of
 * the block. Where channels do not fill the last block, it holds anything.
 */
public final class BlockedImages {
    private BlockedImages() {}

    public static int blocks(int lanes, int channels) {
        return (channels + lanes - 1) / lanes;
    }

    /** Elements of an image. */
    public static long elements(int lanes, int channels, long pixels) {
        return Math.multiplyExact((long) blocks(lanes, channels) * lanes, pixels);
    }

    /** Names the order, for those who keep it: images are good only where it is the same. */
    public static String name(int lanes) {
        return "blocks of " + lanes + " channels";
    }
}
