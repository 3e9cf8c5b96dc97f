package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.lowp.Requantisation;

/** The offsets in the block of memory that holds what {@link DepthwiseTile} needs beyond its call arguments. */
final class DepthwiseArguments {
    /** Longs: the number of rows of taps; bytes from pixel to pixel of the input. */
    static final int ROWS = 0;

    static final int PITCH = 8;
    /**
     * Bytes from the last group of columns of a row to the start of the next row; from the start of a tile to the next
     * one.
     */
    static final int IN_ROW = 16;

    static final int IN_TILE = 24;
    /** Bytes of the input from the end of a row of tiles to the next block of channels. */
    static final int IN_BLOCK = 32;
    /** Bytes from pixel to pixel of the output; from the end of a row of tiles to the next block of channels. */
    static final int OUT_PITCH = 40;

    static final int OUT_BLOCK = 48;
    /** Bytes of the weights of a block of channels. */
    static final int WEIGHTS = 56;
    /** Pointers to the bias and to the scales, or to the single scale. */
    static final int BIAS = 64;

    static final int SCALES = 72;
    /** The number of channels in the last block. */
    static final int TAIL = 80;
    /** Pointers to the zero point of the input, a byte, and to its scale. */
    static final int ZERO_OF_IN = 88;

    static final int SCALE_OF_IN = 96;
    /** The words of {@link Requantisation}. */
    static final int REQUANTISATION = 104;
    /** Constants that pointers above may refer to: the float 1, and an int 0. */
    static final int ONE = REQUANTISATION + Requantisation.BYTES;

    static final int NOTHING = ONE + 4;

    static final int BYTES = NOTHING + 4;

    private DepthwiseArguments() {}
}
