package dev.millrace.kernels.lowp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The sums of products with packed weights that fit into 16 bits, as stored beside the weights. */
enum PairFit {
    NO,
    /** Sums of two products. */
    PAIRS,
    /** Sums of two products, since the quads with larger ones were clamped. */
    CUT_PAIRS,
    /** Sums of the corresponding pairs of two consecutive quads, since the quads with larger ones were clamped. */
    CUT_FOURS;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    static PairFit of(MemorySegment packed, IntegerPanels panels) {
        int number = packed.get(INT, panels.pairFit());
        for (PairFit fit : values()) {
            if (fit.ordinal() == number && (panels.cut() || !fit.isCut())) {
                return fit;
            }
        }
        return NO;
    }

    private boolean isCut() {
        return this == CUT_PAIRS || this == CUT_FOURS;
    }

    void write(MemorySegment packed, IntegerPanels panels) {
        packed.set(INT, panels.pairFit(), ordinal());
    }
}
