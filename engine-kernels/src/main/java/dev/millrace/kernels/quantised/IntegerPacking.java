package dev.millrace.kernels.quantised;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Packs B once, with what products need to know of its columns. */
final class IntegerPacking {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    /** The greatest sum of two weights of one sign that, times 255, still has 16 bits with sign. */
    private static final int MOST_OF_PAIR = 128;

    private static final int OFFSET = 128;

    private final IntegerPanels panels;
    private final QuantisedMatrix b;
    private final MemorySegment packed;
    private boolean pairsFit = true;
    private boolean hasZeros;

    IntegerPacking(IntegerPanels panels, QuantisedMatrix b, MemorySegment packed) {
        this.panels = panels;
        this.b = b;
        this.packed = packed;
    }

    /** @param rowStep bytes from a row of B to the next, as columnStep is from column to column */
    void pack(long rowStep, long columnStep) {
        packed.asSlice(0, panels.byteSize()).fill((byte) 0);
        for (long j = 0; j < panels.n(); j++) {
            column(j, j * columnStep, rowStep);
        }
        packed.set(INT, panels.pairsFit(), pairsFit ? 1 : 0);
        packed.set(INT, panels.hasZeros(), hasZeros ? 1 : 0);
    }

    private void column(long column, long start, long rowStep) {
        long k = panels.k();
        long to = panels.element(0, column);
        long step = panels.element(4, column) - to;
        int sum = 0;
        int products = 0;
        long row = 0;
        for (; row < k; row += 2) {
            int first = weight(start + row * rowStep);
            int second = row + 1 < k ? weight(start + (row + 1) * rowStep) : 0;
            long at = to + row / 4 * step + row % 4;
            packed.set(ValueLayout.JAVA_BYTE, at, (byte) first);
            packed.set(ValueLayout.JAVA_BYTE, at + 1, (byte) second);
            sum += first + second;
            products += first * second;
            int positive = Math.max(first, 0) + Math.max(second, 0);
            int negative = Math.min(first, 0) + Math.min(second, 0);
            pairsFit &= positive <= MOST_OF_PAIR && negative >= -MOST_OF_PAIR;
        }
        int zero = b.zeroPoint(column) - (b.signed() ? 0 : OFFSET);
        packed.set(INT, panels.sums() + 4 * column, sum - (int) k * zero);
        packed.set(INT, panels.pairs() + 4 * column, products);
        packed.set(INT, panels.zeros() + 4 * column, zero);
        hasZeros |= zero != 0;
    }

    /** With sign. */
    private int weight(long at) {
        byte value = b.data().get(ValueLayout.JAVA_BYTE, at);
        return b.signed() ? value : (value & 0xff) - OFFSET;
    }
}
