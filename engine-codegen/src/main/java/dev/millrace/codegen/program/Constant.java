package dev.millrace.codegen.program;

/** A constant: the same 32 bits in all lanes. */
public record Constant(int bits) implements ProgramValue {
    public static final Constant ZERO = new Constant(0);

    public static Constant of(float value) {
        return new Constant(Float.floatToRawIntBits(value));
    }

    public static Constant ofBits(int bits) {
        return new Constant(bits);
    }

    public boolean isZero() {
        return bits == 0;
    }

    /**
     * Returns the value as a float if it is +0 or its magnitude is from 1e-30 to 1e30, else the bits in hexadecimal.
     */
    @Override
    public String toString() {
        float value = Float.intBitsToFloat(bits);
        boolean readable = value == 0 ? bits == 0 : Math.abs(value) >= 1e-30f && Math.abs(value) <= 1e30f;
        return readable ? Float.toString(value) : "0x" + Integer.toHexString(bits);
    }
}
