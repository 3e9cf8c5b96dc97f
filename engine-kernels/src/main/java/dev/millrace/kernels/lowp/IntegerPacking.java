package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Memory;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/** The packing of B, done once, with the terms of its columns that products need. */
final class IntegerPacking {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int OFFSET = 128;
    /** The divisor of the limit of clamped quads where two quads are summed in 16 bits, which saves less. */
    private static final int LESS_OF_FOURS = 4;
    /**
     * The number of vectors that {@link ColumnTerms} updates: the largest and the least sums of pairs, and of pairs of
     * two quads.
     */
    private static final int EXTREMES = 4;

    private final IntegerKernels kernels;
    private final IntegerPanels panels;
    private final QuantisedMatrix b;
    private final MemorySegment packed;
    private final long rowStep;
    private final long columnStep;
    private final int lanes;
    /** Four vectors of extremes, then the offsets of the columns of a vector, in words. */
    private final MemorySegment own;

    /**
     * @param rowStep bytes from a row of B to the next
     * @param columnStep bytes from a column of B to the next
     */
    IntegerPacking(
            IntegerKernels kernels,
            IntegerPanels panels,
            QuantisedMatrix b,
            MemorySegment packed,
            long rowStep,
            long columnStep) {
        this.kernels = kernels;
        this.panels = panels;
        this.b = b;
        this.packed = packed;
        this.rowStep = rowStep;
        this.columnStep = columnStep;
        lanes = panels.lanes();
        own = Blocks.allocate((EXTREMES + 1L) * lanes * Integer.BYTES, 64);
    }

    void pack() {
        packed.asSlice(0, panels.byteSize()).fill((byte) 0);
        own.fill((byte) 0);
        Memory memory = kernels.set().newMemory();
        try {
            boolean pairsFit = true;
            boolean foursFit = true;
            for (long panel = 0; panel < panels.panels(); panel++) {
                elements(memory, panel);
                terms(memory, panel);
                pairsFit &= fits(0);
                foursFit &= fits(2);
                packed.set(INT, panels.foursFit(panel), fits(2) ? 1 : 0);
                own.asSlice(0, (long) EXTREMES * lanes * Integer.BYTES).fill((byte) 0);
            }
            fit(memory, pairsFit, foursFit).write(packed, panels);
            packed.set(INT, panels.hasZeros(), addZeroPoints() ? 1 : 0);
        } finally {
            Reference.reachabilityFence(b);
            Reference.reachabilityFence(packed);
        }
    }

    /** Packs the elements of a panel: whole quads of whole vectors by a kernel, the rest of both one by one. */
    private void elements(Memory memory, long panel) {
        long first = panel * panels.columns();
        int width = panels.width(panel);
        long rows = panels.k();
        boolean gathered = rowStep == 1 && columnStep != 1;
        boolean isReached = gathered
                ? columnStep % Integer.BYTES == 0 && columnStep * lanes <= Integer.MAX_VALUE
                : columnStep == 1 && rowStep <= Integer.MAX_VALUE;
        int vectors = isReached ? width / lanes : 0;
        long packedStride = (long) panels.vectorsOf(panel) * lanes * Integer.BYTES;
        if (vectors > 0 && rows >= 4) {
            long stride = gathered ? columnStep * lanes : rowStep;
            long indices = EXTREMES * lanes;
            for (int i = 0; gathered && i < lanes; i++) {
                own.setAtIndex(INT, indices + i, (int) (i * columnStep / Integer.BYTES));
            }
            kernels.packFours(!b.signed(), gathered)
                    .call(
                            memory,
                            memory.pointer(b.data()) + first * columnStep,
                            memory.pointer(packed) + panels.panel(panel),
                            rows / 4,
                            stride | packedStride << 32,
                            vectors,
                            memory.pointer(own) + indices * Integer.BYTES);
        }
        for (long column = first; column < first + width; column++) {
            boolean isDone = column < first + (long) vectors * lanes;
            for (long row = isDone ? rows / 4 * 4 : 0; row < rows; row++) {
                packed.set(ValueLayout.JAVA_BYTE, panels.element(row, column), weight(row, column));
            }
        }
    }

    /** Returns an element as a signed byte. */
    private byte weight(long row, long column) {
        byte value = b.data().get(ValueLayout.JAVA_BYTE, row * rowStep + column * columnStep);
        return b.signed() ? value : (byte) (value - OFFSET);
    }

    private void terms(Memory memory, long panel) {
        long columns = Integer.BYTES * panel * panels.columns();
        long vectors = panels.vectorsOf(panel);
        long start = memory.pointer(packed);
        kernels.columnTerms()
                .call(
                        memory,
                        start + panels.panel(panel),
                        start + panels.sums() + columns,
                        start + panels.turned() + columns,
                        memory.pointer(own),
                        vectors | vectors * lanes * Integer.BYTES << 32,
                        panels.fours());
    }

    /** @param number the first of two vectors of extremes */
    private boolean fits(int number) {
        for (int i = 0; i < lanes; i++) {
            if (own.getAtIndex(INT, (long) number * lanes + i) > OverflowSplitKernel.MOST_IN_16_BITS
                    || own.getAtIndex(INT, (number + 1L) * lanes + i) < -OverflowSplitKernel.MOST_IN_16_BITS) {
                return false;
            }
        }
        return true;
    }

    private PairFit fit(Memory memory, boolean pairsFit, boolean foursFit) {
        if (panels.cut() && !foursFit && cut(memory, 2, panels.cuts() / LESS_OF_FOURS)) {
            return PairFit.CUT_FOURS;
        }
        if (pairsFit) {
            return PairFit.PAIRS;
        }
        return panels.cut() && cut(memory, 1, panels.cuts()) ? PairFit.CUT_PAIRS : PairFit.NO;
    }

    /**
     * Clamps the quads whose sums overflow, or restores the panels if there are too many of them. Returns whether they
     * are clamped.
     *
     * @param together the number of quads whose pairs are summed in 16 bits
     * @param all the most quads that may be clamped
     */
    private boolean cut(Memory memory, int together, long all) {
        long number = 0;
        long panel = 0;
        for (; panel < panels.panels() && number <= all; panel++) {
            long first = panel * panels.vectors();
            int vectors = panels.vectorsOf(panel);
            long start = memory.pointer(packed);
            long shape = vectors | (long) vectors * lanes * Integer.BYTES << 32;
            long from = start + panels.panel(panel);
            long excess = start + panels.excess(number);
            kernels.cutFours(together)
                    .call(memory, from, excess, start + panels.cutsOf(first), shape, panels.fours(), all - number);
            for (long vector = first; vector < first + vectors; vector++) {
                int count = packed.get(INT, panels.cutsOf(vector));
                packed.set(INT, panels.cutsOf(vector) + Integer.BYTES, (int) number);
                number += count;
            }
        }
        if (number > all) {
            for (long again = 0; again < panel; again++) {
                elements(memory, again);
            }
            packed.asSlice(panels.cutsOf(0), panels.byteSize() - panels.cutsOf(0))
                    .fill((byte) 0);
        }
        return number <= all;
    }

    /** Adds the zero points of B to the terms of the columns. Returns whether any zero point differs from 0. */
    private boolean addZeroPoints() {
        boolean hasZeros = false;
        for (long column = 0; column < panels.n(); column++) {
            int zero = b.zeroPoint(column) - (b.signed() ? 0 : OFFSET);
            if (zero != 0) {
                long sum = panels.sums() + 4 * column;
                packed.set(INT, sum, packed.get(INT, sum) - (int) panels.k() * zero);
                packed.set(INT, panels.zeros() + 4 * column, zero);
                hasZeros = true;
            }
        }
        return hasZeros;
    }
}
