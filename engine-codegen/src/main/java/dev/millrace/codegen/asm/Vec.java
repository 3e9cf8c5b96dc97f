package dev.millrace.codegen.asm;

/** A vector register. Numbers from 16 up, and all of width {@link Width#Z}, exist with EVEX only. */
public record Vec(Width width, int number) implements Operand {
    public Vec {
        if (number < 0 || number > 31) {
            throw new IllegalArgumentException("vector register " + number + " does not exist: 0 to 31 do");
        }
    }

    public static Vec xmm(int number) {
        return new Vec(Width.X, number);
    }

    public static Vec ymm(int number) {
        return new Vec(Width.Y, number);
    }

    public static Vec zmm(int number) {
        return new Vec(Width.Z, number);
    }

    /** The register of the same number in another width. */
    public Vec as(Width other) {
        return new Vec(other, number);
    }

    /** This register as a destination whose lanes outside of the mask keep their value. */
    public Masked masked(Mask mask) {
        return new Masked(this, mask, false);
    }

    /** This register as a destination whose lanes outside of the mask become zero. */
    public Masked zeroing(Mask mask) {
        return new Masked(this, mask, true);
    }

    // A record's own equals generates a class at its first use, and the first kernel of a process waits for it.
    @Override
    public boolean equals(Object other) {
        return other instanceof Vec vec && vec.number == number && vec.width == width;
    }

    @Override
    public int hashCode() {
        return 31 * number + width.hashCode();
    }

    @Override
    public String toString() {
        return Printer.register(this);
    }
}
