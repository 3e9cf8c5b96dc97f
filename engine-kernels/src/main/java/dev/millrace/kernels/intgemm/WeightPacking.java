package dev.millrace.kernels.intgemm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Packs stored weights once. */
final class WeightPacking {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final WeightPanels panels;
    private final MemorySegment packed;

    WeightPacking(WeightPanels panels, MemorySegment packed) {
        this.panels = panels;
        this.packed = packed;
        packed.asSlice(0, panels.byteSize()).fill((byte) 0);
    }

    /** Whole groups lie in the same order as they are given; their middle becomes 0 by turning the highest bits over. */
    void blocked(BlockedWeights weights) {
        WeightFormat format = panels.format();
        int groups = format.block() / format.type().group();
        int middles = format.type() == WeightType.INT4 ? 0x88888888 : 0x80808080;
        for (long column = 0; column < panels.n(); column++) {
            for (long block = 0; block < panels.blocks(); block++) {
                long index = column * panels.blocks() + block;
                long at = panels.scale(block, column);
                packed.set(FLOAT, at, weights.scale(index));
                if (format.zeros()) {
                    long row = (long) panels.vectorsOf(column / panels.columns()) * panels.lanes();
                    packed.set(FLOAT, at + 4 * row, weights.zero(block, column, panels.blocks()));
                }
                for (int group = 0; group < groups; group++) {
                    int word = weights.data().getAtIndex(INT, index * groups + group);
                    packed.set(INT, panels.group(block, group, column), word ^ middles);
                }
            }
        }
    }

    /** @param rowStep elements from a row of B to the next, as columnStep is from column to column */
    void halves(MemorySegment b, long rowStep, long columnStep) {
        WeightType type = panels.format().type();
        int block = panels.format().block();
        for (long column = 0; column < panels.n(); column++) {
            for (long k = 0; k < panels.k(); k++) {
                int inBlock = (int) (k % block);
                long at = panels.group(k / block, inBlock / type.group(), column) + 2L * (inBlock % type.group());
                packed.set(SHORT, at, b.getAtIndex(SHORT, k * rowStep + column * columnStep));
            }
        }
    }
}
