package dev.millrace.kernels.cast;

/** How floats are stored; computed with are always those of 32 bits. */
public enum FloatType {
    F32(NumberType.F32),
    /** IEEE half precision. */
    F16(NumberType.F16),
    /** The upper half of a float. */
    BF16(NumberType.BF16);

    private final NumberType number;

    FloatType(NumberType number) {
        this.number = number;
    }

    public int bytes() {
        return number.bits() / Byte.SIZE;
    }

    /** The same among all types of numbers. */
    public NumberType number() {
        return number;
    }
}
