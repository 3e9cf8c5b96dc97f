package dev.millrace.kernels.lowp;

import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.GemmShape;

/**
 * The method of a product with stored weights, and the layout of its scratch memory: the rows of A padded with zeros to
 * whole blocks, then the rounded rows, then C as floats of 32 bits, then for each thread the part of a panel that it
 * decodes.
 *
 * @param pairs whether the words of A and B that kernels read are pairs of bfloat16, not floats
 * @param rowByRow whether weights are decoded in registers, for each row again
 * @param copyA whether rows of A are copied
 * @param copyC whether C is converted at the end
 * @param decodedBytes bytes that a thread decodes at a time
 */
record WeightScratch(
        boolean pairs,
        boolean rounded,
        boolean rowByRow,
        boolean copyA,
        boolean copyC,
        long rowBytesOfCopy,
        long rowBytesOfRounded,
        long offsetOfRounded,
        long offsetOfC,
        long offsetOfDecoded,
        long decodedBytes) {

    /** The most rows that are multiplied one by one. */
    private static final long FEW_ROWS = 2;

    private static final long LINE = 64;

    static WeightScratch of(WeightKernels kernels, GemmShape shape, WeightPanels panels, WeightExtents extents) {
        WeightFormat format = panels.format();
        boolean pairs = extents.typeOfA() == FloatType.BF16 && kernels.multipliesPairs();
        boolean rounded = extents.rounded() && format.type() == WeightType.INT4;
        boolean rowByRow = !pairs && (rounded || extents.m() <= FEW_ROWS);
        boolean wholeBlocks = extents.k() % format.block() == 0;
        boolean copyA = pairs
                ? extents.k() % 2 != 0
                : extents.typeOfA() != FloatType.F32 || rowByRow && !(rounded && wholeBlocks);
        boolean copyC = extents.typeOfC() != FloatType.F32;
        long rowBytesOfCopy =
                panels.blocks() * format.block() * typeOfRows(pairs).bytes();
        long rowBytesOfRounded = panels.blocks() * RoundedRow.blockBytes(format.block());
        long offsetOfRounded = after(0, copyA ? Math.multiplyExact(extents.m(), rowBytesOfCopy) : 0);
        long offsetOfC = after(offsetOfRounded, rounded ? Math.multiplyExact(extents.m(), rowBytesOfRounded) : 0);
        long bytesOfC = copyC ? Math.multiplyExact(Float.BYTES * extents.m(), extents.n()) : 0;
        long decoded = pairs || rowByRow ? 0 : (long) Float.BYTES * shape.depth() * panels.columns();
        return new WeightScratch(
                pairs,
                rounded,
                rowByRow,
                copyA,
                copyC,
                rowBytesOfCopy,
                rowBytesOfRounded,
                offsetOfRounded,
                offsetOfC,
                after(offsetOfC, bytesOfC),
                decoded);
    }

    private static long after(long start, long bytes) {
        return Math.ceilDiv(Math.addExact(start, bytes), LINE) * LINE;
    }

    private static FloatType typeOfRows(boolean pairs) {
        return pairs ? FloatType.BF16 : FloatType.F32;
    }

    /** The element type of the rows of A that tiles read. */
    FloatType typeOfRows() {
        return typeOfRows(pairs);
    }

    long bytes(int width) {
        return Math.addExact(offsetOfDecoded, width * decodedBytes);
    }
}
