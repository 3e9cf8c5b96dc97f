package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.program.Target;

/**
 * Where a tile finds what it needs besides the factors: a block of pointers to numbers per column, constants, and room
 * for what a panel makes of them.
 */
final class TermBlock {
    /** A pointer to what a zero point of A takes off, ints. */
    static final int SUMS = 0;
    /** A pointer to what {@link IntegerDot#TURNED} has too little, ints. */
    static final int TURNED = 8;
    /** A pointer to the zero points of B, ints. */
    static final int ZEROS = 16;
    /** A pointer to the scales of columns, or of all of them. */
    static final int SCALES = 24;
    /** A pointer to the bias. */
    static final int BIAS = 32;
    /** The words of {@link Requantisation}. */
    static final int REQUANTISATION = 40;
    /** How many fours of K there are, a long. */
    static final int FOURS = 56;
    /** How many lanes of the last vector belong to C, a long; masked kernels only. */
    static final int TAIL = 64;
    /** From one row of C to the next, in bytes, a long. */
    static final int STRIDE_OF_C = 72;
    /** A pointer to the zero point of all rows of A, a byte; and the bit that makes one with sign one without, an int. */
    static final int ZERO_OF_A = 80;

    static final int SIGN_OF_A = 88;
    /** The float 1. */
    static final int ONE = 92;
    /** A pointer to the scale of all rows of A, a float. */
    static final int SCALE_OF_A = 96;

    /** Of rows that are windows: how many strips they have, a long. */
    static final int STRIPS = 104;
    /** How many fours there are in a strip, a long; and how many bytes lie between strips. */
    static final int FOURS_OF_STRIP = 112;

    static final int STRIP_GAP = 120;
    /** A byte that is 0. */
    static final int NOTHING = 128;
    /** How many tiles there are in a column of them, and of one row less after them, longs; not read where rows are windows. */
    static final int TILES = 136;

    static final int LOW_TILES = 144;
    /** A pointer to where a panel is spread out. */
    static final int WIDE = 152;
    /** A pointer to how many fours of the vectors of a panel were cut, and one to what was cut off of the first vector of B. */
    static final int CUTS = 160;

    static final int EXCESS = 168;

    private static final int ROWS = 192;

    private TermBlock() {}

    private static int row(Target target, int number) {
        return ROWS + number * IntegerDot.vectors(target) * target.vectorBytes();
    }

    /** What the sums of a panel start from, ints; written by the tiles, as those after it are. */
    static int starts(Target target) {
        return row(target, 0);
    }

    /** What the sums of a panel are multiplied with, floats. */
    static int factors(Target target) {
        return row(target, 1);
    }

    /** What is added to the floats of a panel. */
    static int biases(Target target) {
        return row(target, 2);
    }

    static int bytes(Target target) {
        return row(target, 3);
    }
}
