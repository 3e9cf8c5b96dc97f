package dev.millrace.kernels.intgemm;

/**
 * A row of A that is rounded to bytes with sign, a block of weights at a time: four words about a block, then its
 * elements, of each eight the even ones before the odd ones, as the halves of bytes lie in a word of weights.
 */
final class RoundedRow {
    /** What the sum of products starts from, an int: weights without sign are eight too large. */
    static final int START = 0;
    /** What an element stands for, a float. */
    static final int SCALE = 4;
    /** What a zero point of one adds, a float. */
    static final int ZERO = 8;
    /** Where the elements begin. */
    static final int DATA = 16;

    /** The largest element. */
    static final int MOST = 127;

    private RoundedRow() {}

    /** What a block of so many elements takes. */
    static int blockBytes(int block) {
        return DATA + block;
    }
}
