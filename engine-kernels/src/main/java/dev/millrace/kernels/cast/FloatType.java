package dev.millrace.kernels.cast;

/** The storage type of floats; arithmetic is always in 32 bits. */
public enum FloatType {
    F32(NumberType.F32),
    /** IEEE half precision. */
    F16(NumberType.F16),
    /** bfloat16, the upper half of a float. */
    BF16(NumberType.BF16);

    private final NumberType number;

    FloatType(NumberType number) {
        this.number = number;
    }

    public int bytes() {
        return number.bits() / Byte.SIZE;
    }

    /** The number type of the same format. */
    public NumberType number() {
        return number;
    }
}
