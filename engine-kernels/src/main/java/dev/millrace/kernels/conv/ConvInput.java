package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.image.BlockedImages;

/** The layout of the elements of input images. */
public enum ConvInput {
    /** Floats in NCHWc, the order of {@link BlockedImages}. */
    BLOCKED,
    /** Floats in NCHW, channel by channel. */
    PLAIN,
    /** Floats in NCHWc, of which only the channels of a list are read. */
    LISTED;

    /** The most products that a row of taps is unrolled to: the JVM takes methods up to 64 KiB. */
    private static final int MAX_PRODUCTS = 2500;

    /** The most channels of a block that code is unrolled for. */
    int maxDepth(int lanes) {
        return this == BLOCKED ? lanes : 1;
    }

    /** The number of channels in a block. */
    int channels(int lanes) {
        return this == PLAIN ? 1 : lanes;
    }

    int pixelBytes(int lanes) {
        return Float.BYTES * channels(lanes);
    }

    /**
     * Returns the most pixels of a tile that fit into the registers, beside the weights and one input, and into
     * {@link #MAX_PRODUCTS}.
     */
    int maxPixels(Target target, int blocks, int taps) {
        int inCode = MAX_PRODUCTS / (taps * channels(target.lanes()) * blocks);
        return Math.max(1, Math.min(inCode, (target.vectors() - 1 - blocks) / blocks));
    }
}
