package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Target;

/**
 * A method of multiplying unsigned bytes by signed bytes, four along K (a quad) for each column at a time. All methods
 * are exact.
 */
enum IntegerDot {
    /** One instruction that multiplies and adds quads in 32 bits (VNNI). */
    WHOLE,
    /**
     * The instruction that adds pairs of products with saturation ({@code vpmaddubsw}): only for factors whose pairs
     * cannot saturate.
     */
    BYTES,
    /**
     * {@link #BYTES} for factors with few quads whose pairs can saturate: these quads are clamped to half of the range,
     * and the rests of a vector of columns are multiplied after the panel, with the same four bytes of A.
     */
    EXCESS,
    /** {@link #BYTES} with two quads added up in 16 bits: only for factors whose sums of four products fit there. */
    FOURS,
    /** {@link #FOURS} for factors with few quads whose sums do not fit, which are clamped as for {@link #EXCESS}. */
    FOURS_EXCESS,
    /**
     * {@link #BYTES} with the magnitudes of B as the unsigned factor, whose pairs cannot saturate. The signed factor is
     * {@code a - 128}, or its complement {@code 127 - a} where the weight is negative, so that the sums differ from the
     * product by a term that depends on B only. The panel of B is expanded to the magnitudes and the masks that turn
     * bytes of A into the signed factors.
     */
    TURNED,
    /**
     * The two nibbles of the bytes of A multiplied separately: their products are so small that some can be summed in
     * 16 bits. For few rows, since B needs no preparation.
     */
    NIBBLES;

    /** The most rows for which expanding panels does not pay. */
    private static final int FEW_ROWS = 12;

    /** Bytes of a packed row of A for each quad. */
    int rowBytes() {
        return isSplit() ? 8 : 4;
    }

    /**
     * Whether quads of A are split into two words: a block of the first words is followed by a block of the second
     * ones.
     */
    boolean isSplit() {
        return this == NIBBLES;
    }

    /** Whether quads were clamped, so that rests are added after the panel. */
    boolean hasExcess() {
        return this == EXCESS || this == FOURS_EXCESS;
    }

    /**
     * The most rows of a tile: the vector registers hold their sums beside a panel, and the other registers their
     * addresses.
     */
    int rows() {
        return switch (this) {
            case WHOLE, BYTES, EXCESS, FOURS, FOURS_EXCESS -> 5;
            case TURNED -> 4;
            case NIBBLES -> 1;
        };
    }

    /** The number of vectors in a row of a full tile, which all methods share. */
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
