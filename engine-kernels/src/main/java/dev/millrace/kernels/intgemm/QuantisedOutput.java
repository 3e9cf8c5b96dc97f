package dev.millrace.kernels.intgemm;

/** What a product of integers is written as. */
public enum QuantisedOutput {
    /** The sums, with a bias of ints. */
    S32(4),
    /** The sums times the scales of both factors, with a bias of floats. */
    F32(4),
    /** The sums, with a bias of ints, times a scale, rounded to nearest even, plus a zero point, saturated. */
    U8(1),
    /** Like {@link #U8}, with sign. */
    S8(1);

    private final int bytes;

    QuantisedOutput(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    /** Whether it is bytes. */
    public boolean isQuantised() {
        return this == U8 || this == S8;
    }

    /** The least element that can be written, where that is a byte. */
    public int least() {
        return this == S8 ? -128 : 0;
    }

    /** The greatest element that can be written, where that is a byte. */
    public int most() {
        return this == S8 ? 127 : 255;
    }
}
