package dev.millrace.kernels.lowp;

/**
 * A packed row of A: four words about it, then its elements as unsigned bytes, padded with zeros.
 *
 * <p>For {@link IntegerDot#NIBBLES} the elements are split: blocks with as many quads as a vector has lanes hold the
 * lower nibbles of all their bytes before the upper ones.
 */
final class PackedRow {
    /** The offset of the sum of the elements, an int, present where B has zero points. */
    static final int SUM = 0;
    /** The offset of the zero point, an int. */
    static final int ZERO = 8;
    /** The offset of the scale, a float. */
    static final int SCALE = 12;
    /** The offset of the elements. */
    static final int DATA = 16;

    private static final int LINE = 64;

    private PackedRow() {}

    /** Returns the size of some rows, rounded up to whole cache lines. */
    static long bytes(long rows, long stride) {
        return Math.addExact(Math.multiplyExact(rows, stride), LINE - 1) / LINE * LINE;
    }

    /** Returns the bytes from one row to the next. */
    static long stride(IntegerDot dot, long k, int lanes) {
        long fours = (k + 3) / 4;
        return DATA + (fours + lanes - 1) / lanes * lanes * dot.rowBytes();
    }
}
