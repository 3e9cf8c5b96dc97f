package dev.millrace.kernels.intgemm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Whether sums of products with packed weights have room in 16 bits, as it is written beside the weights. */
enum PairFit {
    NO,
    /** Those of two. */
    PAIRS,
    /** The same, since those that had none were cut. */
    CUT_PAIRS,
    /** Those of two in two fours that follow each other, since those that had none were cut. */
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
