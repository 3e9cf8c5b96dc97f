package dev.millrace.kernels.intgemm;

/**
 * A packed row of A: four words about it, then its elements as bytes without sign, filled up with zeros.
 *
 * <p>Split, for {@link IntegerDot#NIBBLES}, they are in blocks of as many fours as a vector has lanes, the lower halves of
 * all bytes before the upper ones.
 */
final class PackedRow {
    /** The sum of the elements, an int, where B has zero points. */
    static final int SUM = 0;
    /** The zero point, an int. */
    static final int ZERO = 8;
    /** The scale, a float. */
    static final int SCALE = 12;
    /** Where the elements begin. */
    static final int DATA = 16;

    private static final int LINE = 64;

    private PackedRow() {}

    /** What some rows take, filled up to lines of a cache. */
    static long bytes(long rows, long stride) {
        return Math.addExact(Math.multiplyExact(rows, stride), LINE - 1) / LINE * LINE;
    }

    /** From one row to the next. */
    static long stride(IntegerDot dot, long k, int lanes) {
        long fours = (k + 3) / 4;
        return DATA + (fours + lanes - 1) / lanes * lanes * dot.rowBytes();
    }
}
