package dev.millrace.providers.simd.rule;

/** What a way of sliding windows over images takes for a pixel of the output, in instructions on vectors. */
final class PlaneCost {
    /** To put a block of channels of a pixel into another order. */
    static final double REORDER = 3;

    /** To put elements where the same tap of all outputs finds them side by side. */
    private static final double GATHER = 4;

    private static final double COPY = 2;

    private PlaneCost() {}

    /**
     * Of windows over planes.
     *
     * @param taps of all channels
     * @param columns of a row, which may not fill its last vector
     */
    static double of(double taps, int columns, int block) {
        return taps * Math.ceilDiv(columns, block) / columns;
    }

    /** Of the way of elements to where windows slide over them. */
    static double ofInputs(double elements, boolean gathered, int block) {
        return elements * (gathered ? GATHER : COPY) / block;
    }
}
