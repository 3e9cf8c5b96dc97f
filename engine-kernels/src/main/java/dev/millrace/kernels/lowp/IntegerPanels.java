package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Target;

/**
 * The packed layout of B: panels as wide as a tile, stored quad by quad (four consecutive elements of K of each
 * column), the last panel with as many whole vectors as it needs; then a number per column, padded to whole vectors, of
 * each kind of term; then whether there are zero points, and which methods are exact: for all of B, and for each panel;
 * finally the rests of the clamped quads of {@link IntegerDot#EXCESS}, where products may need them. Padding is zeros.
 *
 * @param cut whether there is room for the rests of clamped quads
 */
record IntegerPanels(long k, long n, int lanes, int vectors, boolean cut) {
    /** The reciprocal of the part of the quads of vectors that may be clamped: with more, clamping does not pay. */
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

    /** Bytes of a panel that is expanded for {@link IntegerDot#TURNED}. */
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

    /** The offset of element (row, column) in the packed bytes. */
    long element(long row, long column) {
        long panel = column / columns();
        long rowOfFours = row / 4 * vectorsOf(panel) * lanes;
        return panel(panel) + 4 * (rowOfFours + column % columns()) + row % 4;
    }

    /** The offset of the sums of the columns, reduced by the zero points: the factors of the zero point of a row. */
    long sums() {
        return Math.multiplyExact(Math.multiplyExact(4, fours()), paddedColumns());
    }

    /** The offset of one kind of term, or of the data behind the last kind. */
    private long terms(int kind) {
        return Math.addExact(sums(), Math.multiplyExact(4L * kind, paddedColumns()));
    }

    /** The offset of the corrections of the columns for {@link IntegerDot#TURNED}. */
    long turned() {
        return terms(1);
    }

    /** The offset of the zero points of the columns. */
    long zeros() {
        return terms(2);
    }

    /** The offset of the {@link PairFit}, an int. */
    long pairFit() {
        return terms(3);
    }

    /** The offset of an int that is 1 if there are zero points, else 0. */
    long hasZeros() {
        return pairFit() + 4;
    }

    /** The offset of an int that is 1 if {@link IntegerDot#FOURS} is exact for a panel, else 0. */
    long foursFit(long panel) {
        return Math.addExact(hasZeros() + 4, 4 * panel);
    }

    /** The most quads of vectors that can be clamped. */
    long cuts() {
        return cut ? Math.ceilDiv(Math.multiplyExact(fours(), paddedColumns() / lanes), MOST_CUT) : 0;
    }

    /**
     * The offset of a long about a vector of columns: the number of its clamped quads | the index of the first of them
     * &lt;&lt; 32.
     */
    long cutsOf(long vector) {
        long end = Math.addExact(foursFit(panels()), LINE - 1) / LINE * LINE;
        return Math.addExact(end, recordBytes() * vector);
    }

    /** Bytes from one {@link #cutsOf} to the next: as many as a vector of terms has. */
    private int recordBytes() {
        return Integer.BYTES * lanes;
    }

    /**
     * The offset of the rest of a clamped quad: the rest for a vector of columns, then its position in a row of A, a
     * long.
     */
    long excess(long number) {
        return Math.addExact(cutsOf(paddedColumns() / lanes), Math.multiplyExact(excessBytes(), number));
    }

    int excessBytes() {
        return Integer.BYTES * lanes + Long.BYTES;
    }

    /**
     * Returns the size of the packed B.
     *
     * @throws ArithmeticException if the size overflows
     */
    long byteSize() {
        return cut ? excess(cuts()) : foursFit(panels());
    }
}
