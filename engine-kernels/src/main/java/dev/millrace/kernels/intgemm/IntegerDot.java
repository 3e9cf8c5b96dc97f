package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Target;

/** How bytes without sign are multiplied with bytes with sign, four along K for each column at a time. All are exact. */
enum IntegerDot {
    /** One instruction does it all. */
    WHOLE,
    /** The step that saturates pairs of products: only for factors whose pairs cannot get there. */
    BYTES,
    /**
     * The same where few fours of columns have pairs that can get there: their factors are cut down to halves of the
     * range, and what is cut off of a vector of columns is multiplied after the others, with the same four of A.
     */
    EXCESS,
    /** The same as bytes, two fours being added up in 16 bits: only for factors whose sums of four products fit there. */
    FOURS,
    /** The same where few of these sums do not fit, as in {@link #EXCESS}. */
    FOURS_EXCESS,
    /**
     * As {@link #BYTES}, with factors of B without their signs, whose pairs have room: what they are multiplied with is {@code a - 128},
     * or, where the sign was taken from, its complement {@code 127 - a}, so that the sums differ by what depends on B only. The panel of
     * B is spread out to these numbers and those that turn bytes of A into the others.
     */
    TURNED,
    /**
     * The halves of the bytes of A apart: their products are so small that some can be summed in 16 bits. For few rows,
     * since nothing has to be done to B before.
     */
    NIBBLES;

    /** Rows up to which it does not pay to spread panels out. */
    private static final int FEW_ROWS = 12;

    /** Bytes for four elements of a packed row of A. */
    int rowBytes() {
        return isSplit() ? 8 : 4;
    }

    /** Whether fours of A are split into two words, a block of the first ones before one of the second ones. */
    boolean isSplit() {
        return this == NIBBLES;
    }

    /** Whether something was cut off that is added after the panel. */
    boolean hasExcess() {
        return this == EXCESS || this == FOURS_EXCESS;
    }

    /** Rows of a tile: what fits into vector registers beside a panel, and what their addresses leave of the others. */
    int rows() {
        return switch (this) {
            case WHOLE, BYTES, EXCESS, FOURS, FOURS_EXCESS -> 5;
            case TURNED -> 4;
            case NIBBLES -> 1;
        };
    }

    /** Vectors in a row of a full tile, whatever the way. */
    static int vectors(Target target) {
        return target.vectors() == 32 ? 4 : 2;
    }

    static boolean hasWhole(Target target) {
        return target.dots().contains(DotOp.U8S8);
    }

    static IntegerDot of(Target target, PairFit fit, long rows) {
        if (hasWhole(target)) {
            return WHOLE;
        }
        return switch (fit) {
            case PAIRS -> BYTES;
            case CUT_PAIRS -> EXCESS;
            case CUT_FOURS -> FOURS_EXCESS;
            case NO -> rows <= FEW_ROWS ? NIBBLES : TURNED;
        };
    }
}
