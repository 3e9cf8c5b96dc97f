package dev.millrace.kernels.quantised;

import dev.millrace.kernels.gemm.GemmShape;

/**
 * How the scratch memory of a run is cut: the rows of A as floats of 32 bits, filled up with zeros to whole blocks; C
 * as floats of 32 bits; then for each task a block of a panel, decoded.
 *
 * @param rowFloats from one row of A to the next
 * @param c bytes before C
 * @param panels bytes before the panels
 * @param panelBytes of a panel
 */
record WeightScratch(long rowFloats, long c, long panels, long panelBytes, int tasks) {
    static WeightScratch of(WeightPanels panels, GemmShape shape, long m, int tasks) {
        if (m < 0 || tasks < 1) {
            throw new IllegalArgumentException("A has " + m + " rows, and there are " + tasks + " tasks");
        }
        long rowFloats = panels.blocks() * panels.format().block();
        long c = Math.multiplyExact(4 * m, rowFloats);
        long end = Math.addExact(c, Math.multiplyExact(4 * m, panels.n()));
        return new WeightScratch(rowFloats, c, end, 4L * shape.depth() * panels.columns(), tasks);
    }

    long byteSize() {
        return Math.addExact(panels, panelBytes * tasks);
    }
}
