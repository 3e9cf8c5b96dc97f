package dev.millrace.kernels.conv;

import dev.millrace.kernels.program.Target;

/** What the elements of input images are, and how they lie. A step of the sums takes 32 bits of a pixel. */
public enum ConvInput {
    /** Floats in the order of {@link BlockedImages}. */
    BLOCKED,
    /** Floats, channel by channel. */
    PLAIN,
    /** 16-bit ints with sign in the order of {@link BlockedImages}; two channels to a step. */
    PAIRS;

    private static final int STEP_BYTES = 4;
    /** Products that a row of taps is unrolled to, at most: the JVM takes methods up to 64 KiB. */
    private static final int MAX_PRODUCTS = 2500;

    private static final int MAX_PRODUCTS_OF_PAIRS = 500;

    /** Channels of a block. */
    int channels(int lanes) {
        return this == PLAIN ? 1 : lanes;
    }

    /** Steps that a block takes. */
    int steps(int lanes) {
        return this == PLAIN ? 1 : this == PAIRS ? lanes / 2 : lanes;
    }

    /** Steps for so many channels of a block. */
    int stepsOf(int channels) {
        return this == PAIRS ? (channels + 1) / 2 : channels;
    }

    int pixelBytes(int lanes) {
        return STEP_BYTES * steps(lanes);
    }

    /** In the output, whose elements are like those of the input. */
    int outPixelBytes(int lanes) {
        return this == PAIRS ? 2 * lanes : 4 * lanes;
    }

    /**
     * How many pixels of a tile fit into the registers, beside weights, an input, and a product that is not yet added,
     * and into code of a good length.
     */
    int maxPixels(Target target, int blocks, int taps) {
        int working = this == PAIRS ? 2 : 1;
        int products = this == PAIRS ? MAX_PRODUCTS_OF_PAIRS : MAX_PRODUCTS;
        int inCode = products / (taps * steps(target.lanes()) * blocks);
        return Math.max(1, Math.min(inCode, (target.vectors() - working - blocks) / blocks));
    }
}
