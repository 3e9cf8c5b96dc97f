package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.program.Target;

/**
 * How B lies packed: panels as wide as a tile, each a row of fours after another, the last one as many whole vectors
 * wide as it needs; then a number per column, filled up to whole vectors, of each kind of term; then whether there are
 * zero points, and what is exact: for all of B, and for each panel; at last what {@link IntegerDot#EXCESS} has cut off,
 * where products may need that. What is filled up is zeros.
 *
 * @param cut whether there is room for what is cut off
 */
record IntegerPanels(long k, long n, int lanes, int vectors, boolean cut) {
    /** One of so many fours of vectors may be cut: if there are more, it does not pay. */
    private static final int MOST_CUT = 16;

    private static final int LINE = 64;

    static IntegerPanels of(Target target, long k, long n) {
        return new IntegerPanels(k, n, target.lanes(), IntegerDot.vectors(target), !IntegerDot.hasWhole(target));
    }

    static String name(Target target) {
        return "s8 fours, fit by panel, turned, panel " + target.lanes() * IntegerDot.vectors(target) + " vector "
                + target.lanes() + (IntegerDot.hasWhole(target) ? "" : ", excess apart");
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

    /** What a panel takes when it is spread out for {@link IntegerDot#TURNED}. */
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

    /** Where it is what {@link IntegerDot#TURNED} has too little in each column. */
    long turned() {
        return terms(1);
    }

    /** Where the zero points of the columns are. */
    long zeros() {
        return terms(2);
    }

    /** Where the {@link PairFit} is, an int. */
    long pairFit() {
        return terms(3);
    }

    /** Where it says whether there are zero points: an int, 1 or 0. */
    long hasZeros() {
        return pairFit() + 4;
    }

    /** Where it says whether {@link IntegerDot#FOURS} is exact for a panel: an int, 1 or 0. */
    long foursFit(long panel) {
        return Math.addExact(hasZeros() + 4, 4 * panel);
    }

    /** How many fours of vectors can be cut. */
    long cuts() {
        return cut ? Math.ceilDiv(Math.multiplyExact(fours(), paddedColumns() / lanes), MOST_CUT) : 0;
    }

    /** Where it says how many fours of a vector of columns were cut | which one is the first of them &lt;&lt; 32, a long. */
    long cutsOf(long vector) {
        long end = Math.addExact(foursFit(panels()), LINE - 1) / LINE * LINE;
        return Math.addExact(end, recordBytes() * vector);
    }

    /** From one {@link #cutsOf} to the next: what a vector takes, as all numbers per column do. */
    private int recordBytes() {
        return Integer.BYTES * lanes;
    }

    /** What was cut off: for each a four of a vector of columns, then where it is in a row of A, a long. */
    long excess(long number) {
        return Math.addExact(cutsOf(paddedColumns() / lanes), Math.multiplyExact(excessBytes(), number));
    }

    int excessBytes() {
        return Integer.BYTES * lanes + Long.BYTES;
    }

    /** @throws ArithmeticException if that is too much */
    long byteSize() {
        return cut ? excess(cuts()) : foursFit(panels());
    }
}
