package dev.millrace.kernels.intgemm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Whether pairs of products with packed weights have room in 16 bits, as it is written beside the weights. */
enum PairFit {
    NO,
    YES,
    /** Since those that have not were cut. */
    CUT;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    static PairFit of(MemorySegment packed, IntegerPanels panels) {
        int number = packed.get(INT, panels.pairsFit());
        return number == YES.ordinal() ? YES : number == CUT.ordinal() && panels.cut() ? CUT : NO;
    }

    void write(MemorySegment packed, IntegerPanels panels) {
        packed.set(INT, panels.pairsFit(), ordinal());
    }
}
