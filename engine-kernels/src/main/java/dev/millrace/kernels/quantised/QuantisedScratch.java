package dev.millrace.kernels.quantised;

import dev.millrace.kernels.driver.Extents;
import java.lang.foreign.MemorySegment;

/**
 * How the scratch memory of a run is cut: packed rows of A, then for each task a block of terms and a panel of B spread
 * out to 16 bits.
 *
 * @param rows bytes for the rows
 * @param panel bytes for a panel
 */
record QuantisedScratch(long rows, long panel, int tasks) {
    private static final long LINE = 64;

    static QuantisedScratch of(IntegerPanels panels, long m, int tasks) {
        if (m < 0 || tasks < 1) {
            throw new IllegalArgumentException("A has " + m + " rows, and there are " + tasks + " tasks");
        }
        long row = PackedRow.stride(IntegerDot.PAIRS, panels.k(), panels.lanes());
        long panel = 8 * panels.fours() * panels.columns();
        return new QuantisedScratch(lines(Math.multiplyExact(m, row)), lines(panel), tasks);
    }

    private static long lines(long bytes) {
        return (bytes + LINE - 1) / LINE * LINE;
    }

    long terms(int task) {
        return rows + task * (TermBlock.BYTES + panel);
    }

    long panel(int task) {
        return terms(task) + TermBlock.BYTES;
    }

    long byteSize() {
        return terms(tasks);
    }

    void check(QuantisedProduct product) {
        MemorySegment scratch = product.scratch();
        Extents.bytes("the scratch memory", scratch, byteSize());
        Extents.writable("the scratch memory", scratch);
        Extents.apart("the scratch memory", scratch, "C", product.c().data());
    }
}
