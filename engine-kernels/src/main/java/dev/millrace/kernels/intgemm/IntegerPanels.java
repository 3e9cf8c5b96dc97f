package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.program.Target;

/**
 * How B lies packed: panels as wide as a tile, each a row of fours after another, the last one as many whole vectors
 * wide as it needs; then a number per column, filled up to whole vectors, of each kind of term; then whether there are
 * zero points, and what is exact: for all of B, and for each panel. What is filled up is zeros.
 */
record IntegerPanels(long k, long n, int lanes, int vectors) {
    static IntegerPanels of(Target target, long k, long n) {
        return new IntegerPanels(k, n, target.lanes(), IntegerDot.vectors(target));
    }

    static String name(Target target) {
        return "s8 fours, fit by panel, panel " + target.lanes() * IntegerDot.vectors(target) + " vector "
                + target.lanes();
    }

    long fours() {
        return (k + 3) / 4;
    }

    int columns() {
        return lanes * vectors;
    }

    long panels() {
        return (n + columns() - 1) / columns();
    }

    long paddedColumns() {
        return Math.addExact(n, lanes - 1) / lanes * lanes;
    }

    /** What a panel takes when it is spread out to 16 bits. */
    long wideBytes() {
        return 8 * fours() * columns();
    }

    int width(long panel) {
        return (int) Math.min(columns(), n - panel * columns());
    }

    int vectorsOf(long panel) {
        return (width(panel) + lanes - 1) / lanes;
    }

    long panel(long panel) {
        return 4 * fours() * panel * columns();
    }

    /** Where in the packed bytes element (row, column) is. */
    long element(long row, long column) {
        long panel = column / columns();
        long rowOfFours = row / 4 * vectorsOf(panel) * lanes;
        return panel(panel) + 4 * (rowOfFours + column % columns()) + row % 4;
    }

    /** Where the sums of the columns are, without the zero points: what the zero point of a row is multiplied with. */
    long sums() {
        return Math.multiplyExact(Math.multiplyExact(4, fours()), paddedColumns());
    }

    /** Where some kind of terms is, or what follows the last one. */
    private long terms(int kind) {
        return Math.addExact(sums(), Math.multiplyExact(4L * kind, paddedColumns()));
    }

    /** Where the sums of products of neighbours in columns are. */
    long pairs() {
        return terms(1);
    }

    /** Where the zero points of the columns are. */
    long zeros() {
        return terms(2);
    }

    /** Where it says whether {@link IntegerDot#BYTES} is exact: an int, 1 or 0. */
    long pairsFit() {
        return terms(3);
    }

    /** Where it says whether there are zero points: an int, 1 or 0. */
    long hasZeros() {
        return pairsFit() + 4;
    }

    /** Where it says whether {@link IntegerDot#FOURS} is exact for a panel: an int, 1 or 0. */
    long foursFit(long panel) {
        return Math.addExact(hasZeros() + 4, 4 * panel);
    }

    /** @throws ArithmeticException if that is too much */
    long byteSize() {
        return foursFit(panels());
    }
}
