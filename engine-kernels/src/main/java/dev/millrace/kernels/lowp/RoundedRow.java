package dev.millrace.kernels.lowp;

/**
 * A row of A that is rounded to signed bytes, a block of weights at a time: four words about a block, then its
 * elements, of each eight the even ones before the odd ones, in the order of the nibbles in a word of weights.
 */
final class RoundedRow {
    /** The offset of the initial value of the sum of products, an int: unsigned weights are eight too large. */
    static final int START = 0;
    /** The offset of the scale of the elements, a float. */
    static final int SCALE = 4;
    /** The offset of the amount that a zero point of one adds, a float. */
    static final int ZERO = 8;
    /** The offset of the elements. */
    static final int DATA = 16;

    /** The largest element. */
    static final int MOST = 127;

    private RoundedRow() {}

    /** Returns the size of a block in bytes. */
    static int blockBytes(int block) {
        return DATA + block;
    }
}
