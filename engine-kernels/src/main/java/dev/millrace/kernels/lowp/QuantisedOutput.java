package dev.millrace.kernels.lowp;

/** The element type of the result of an integer product. */
public enum QuantisedOutput {
    /** The sums, with a bias of ints. */
    S32(4),
    /** The sums times the scales of both factors, with a bias of floats. */
    F32(4),
    /**
     * Unsigned bytes: the sums, with a bias of ints, times a scale, rounded to nearest even, plus a zero point,
     * saturated.
     */
    U8(1),
    /** Signed bytes, computed like {@link #U8}. */
    S8(1);

    private final int bytes;

    QuantisedOutput(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    /** Whether elements are bytes. */
    public boolean isQuantised() {
        return this == U8 || this == S8;
    }

    /** The least element of bytes. */
    public int least() {
        return this == S8 ? -128 : 0;
    }

    /** The greatest element of bytes. */
    public int most() {
        return this == S8 ? 127 : 255;
    }
}
