package dev.millrace.providers.simd.rule.common;

/** The cost of methods that slide windows over images, in vector instructions for a pixel of the output. */
public final class PlaneCost {
    /** The cost of reordering a block of channels of a pixel. */
    public static final double REORDER = 3;

    /** The cost of moving elements so that the same tap of all outputs finds them contiguous. */
    private static final double GATHER = 4;

    private static final double COPY = 2;

    private PlaneCost() {}

    /**
     * Returns the cost of windows over planes.
     *
     * @param taps the taps of all channels
     * @param columns the columns of a row, which may not fill its last vector
     */
    public static double of(double taps, int columns, int block) {
        return taps * Math.ceilDiv(columns, block) / columns;
    }

    /** Returns the cost of moving input elements to the memory that windows slide over. */
    public static double ofInputs(double elements, boolean gathered, int block) {
        return elements * (gathered ? GATHER : COPY) / block;
    }
}
