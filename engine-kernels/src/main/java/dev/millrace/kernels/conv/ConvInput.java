package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.image.BlockedImages;

/** How the elements of input images lie. */
public enum ConvInput {
    /** Floats in the order of {@link BlockedImages}. */
    BLOCKED,
    /** Floats, channel by channel. */
    PLAIN,
    /** As {@link #BLOCKED}; a list says which channels are read. */
    LISTED;

    /** Products that a row of taps is unrolled to, at most: the JVM takes methods up to 64 KiB. */
    private static final int MAX_PRODUCTS = 2500;

    /** How many channels of a block code is written for, at most. */
    int maxDepth(int lanes) {
        return this == BLOCKED ? lanes : 1;
    }

    /** Channels of a block. */
    int channels(int lanes) {
        return this == PLAIN ? 1 : lanes;
    }

    int pixelBytes(int lanes) {
        return Float.BYTES * channels(lanes);
    }

    /**
     * How many pixels of a tile fit into the registers, beside weights and an input, and into code of a good length.
     */
    int maxPixels(Target target, int blocks, int taps) {
        int inCode = MAX_PRODUCTS / (taps * channels(target.lanes()) * blocks);
        return Math.max(1, Math.min(inCode, (target.vectors() - 1 - blocks) / blocks));
    }
}
