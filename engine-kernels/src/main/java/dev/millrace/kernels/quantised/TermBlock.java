package dev.millrace.kernels.quantised;

/** Where a tile finds what it needs besides the factors: a block of pointers to numbers per column, and constants. */
final class TermBlock {
    /** A pointer to what a zero point of A takes off, ints. */
    static final int SUMS = 0;
    /** A pointer to what {@link IntegerDot#PAIRS} has too much, ints. */
    static final int PAIRS = 8;
    /** A pointer to the zero points of B, ints. */
    static final int ZEROS = 16;
    /** A pointer to the scales of columns, or of all of them. */
    static final int SCALES = 24;
    /** A pointer to the bias. */
    static final int BIAS = 32;
    /** The zero point of C, an int. */
    static final int ZERO_OF_C = 40;
    /** The least and the greatest product that do not saturate, floats. */
    static final int LEAST = 44;

    static final int MOST = 48;
    /** The float 1. */
    static final int ONE = 52;

    /** How many fours of K there are, a long. */
    static final int FOURS = 56;
    /** How many tiles there are in a column of them, a long. */
    static final int TILES = 64;
    /** How many lanes of the last vector belong to C, a long; masked kernels only. */
    static final int TAIL = 72;
    /** From one row of C to the next, in bytes, a long. */
    static final int STRIDE_OF_C = 80;

    static final int BYTES = 128;

    private TermBlock() {}
}
