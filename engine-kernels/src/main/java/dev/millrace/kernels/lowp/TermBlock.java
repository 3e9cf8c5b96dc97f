package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Target;

/**
 * The block of memory that holds what a tile needs besides the factors: pointers to numbers per column, constants, and
 * room for the terms of the current panel.
 */
final class TermBlock {
    /** A pointer to the factors of the zero point of A, ints. */
    static final int SUMS = 0;
    /** A pointer to the corrections for {@link IntegerDot#TURNED}, ints. */
    static final int TURNED = 8;
    /** A pointer to the zero points of B, ints. */
    static final int ZEROS = 16;
    /** A pointer to the scales of columns, or to the single one. */
    static final int SCALES = 24;
    /** A pointer to the bias. */
    static final int BIAS = 32;
    /** The words of {@link Requantisation}. */
    static final int REQUANTISATION = 40;
    /** The number of quads of K, a long. */
    static final int FOURS = 56;
    /** The number of lanes of the last vector that belong to C, a long; masked kernels only. */
    static final int TAIL = 64;
    /** Bytes from one row of C to the next, a long. */
    static final int STRIDE_OF_C = 72;
    /**
     * A pointer to the zero point of all rows of A, a byte; and the bit that turns a signed one into an unsigned one,
     * an int.
     */
    static final int ZERO_OF_A = 80;

    static final int SIGN_OF_A = 88;
    /** The float 1. */
    static final int ONE = 92;
    /** A pointer to the scale of all rows of A, a float. */
    static final int SCALE_OF_A = 96;

    /** The number of strips of rows that are windows, a long. */
    static final int STRIPS = 104;
    /** The number of quads in a strip, a long; and the bytes between strips. */
    static final int FOURS_OF_STRIP = 112;

    static final int STRIP_GAP = 120;
    /** A byte that is 0. */
    static final int NOTHING = 128;
    /**
     * The number of tiles in a column of them, and of tiles with one row less after them, longs; not read where rows
     * are windows.
     */
    static final int TILES = 136;

    static final int LOW_TILES = 144;
    /** A pointer to the memory for an expanded panel. */
    static final int WIDE = 152;
    /**
     * A pointer to the numbers of clamped quads of the vectors of a panel, and one to the rests of the first vector of
     * B.
     */
    static final int CUTS = 160;

    static final int EXCESS = 168;

    private static final int ROWS = 192;

    private TermBlock() {}

    private static int row(Target target, int number) {
        return ROWS + number * IntegerDot.vectors(target) * target.vectorBytes();
    }

    /** The offset of the initial sums of a panel, ints; written by the tiles, as the next two are. */
    static int starts(Target target) {
        return row(target, 0);
    }

    /** The offset of the factors of the sums of a panel, floats. */
    static int factors(Target target) {
        return row(target, 1);
    }

    /** The offset of the biases of a panel, floats. */
    static int biases(Target target) {
        return row(target, 2);
    }

    static int bytes(Target target) {
        return row(target, 3);
    }
}
