package dev.millrace.kernels.intgemm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Packs B once, with what products need to know of its columns. */
final class IntegerPacking {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    /** The greatest sum of weights of one sign that, times 255, still has 16 bits with sign. */
    private static final int MOST_IN_16_BITS = 128;

    private static final int OFFSET = 128;

    private final IntegerPanels panels;
    private final QuantisedMatrix b;
    private final MemorySegment packed;
    private boolean pairsFit = true;
    private boolean foursFit = true;
    private boolean hasZeros;

    IntegerPacking(IntegerPanels panels, QuantisedMatrix b, MemorySegment packed) {
        this.panels = panels;
        this.b = b;
        this.packed = packed;
    }

    /** @param rowStep bytes from a row of B to the next, as columnStep is from column to column */
    void pack(long rowStep, long columnStep) {
        packed.asSlice(0, panels.byteSize()).fill((byte) 0);
        for (long panel = 0; panel < panels.panels(); panel++) {
            foursFit = true;
            long first = panel * panels.columns();
            for (long j = first; j < first + panels.width(panel); j++) {
                column(j, j * columnStep, rowStep);
            }
            packed.set(INT, panels.foursFit(panel), foursFit ? 1 : 0);
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
        for (long row = 0; row < k; row += 8) {
            for (int pair = 0; pair < 4; pair += 2) {
                int positive = 0;
                int negative = 0;
                for (long at = row + pair; at < Math.min(k, row + 8); at += 4) {
                    int first = weight(start + at * rowStep);
                    int second = at + 1 < k ? weight(start + (at + 1) * rowStep) : 0;
                    long place = to + at / 4 * step + at % 4;
                    packed.set(ValueLayout.JAVA_BYTE, place, (byte) first);
                    packed.set(ValueLayout.JAVA_BYTE, place + 1, (byte) second);
                    sum += first + second;
                    products += first * second;
                    int more = Math.max(first, 0) + Math.max(second, 0);
                    int less = Math.min(first, 0) + Math.min(second, 0);
                    pairsFit &= fits(more, less);
                    positive += more;
                    negative += less;
                }
                foursFit &= fits(positive, negative);
            }
        }
        int zero = b.zeroPoint(column) - (b.signed() ? 0 : OFFSET);
        packed.set(INT, panels.sums() + 4 * column, sum - (int) k * zero);
        packed.set(INT, panels.pairs() + 4 * column, products);
        packed.set(INT, panels.zeros() + 4 * column, zero);
        hasZeros |= zero != 0;
    }

    private static boolean fits(int positive, int negative) {
        return positive <= MOST_IN_16_BITS && negative >= -MOST_IN_16_BITS;
    }

    /** With sign. */
    private int weight(long at) {
        byte value = b.data().get(ValueLayout.JAVA_BYTE, at);
        return b.signed() ? value : (value & 0xff) - OFFSET;
    }
}
