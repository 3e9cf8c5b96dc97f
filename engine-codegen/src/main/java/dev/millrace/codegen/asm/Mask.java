package dev.millrace.codegen.asm;

/** A mask register of AVX-512. {@link #K0} can be computed with but does not mask: its code means "no mask". */
public record Mask(int number) implements Operand {
    public static final Mask K0 = new Mask(0);
    public static final Mask K1 = new Mask(1);

    public Mask {
        if (number < 0 || number > 7) {
            throw new IllegalArgumentException("mask register k" + number + " does not exist: k0 to k7 do");
        }
    }

    /** This register as the destination of a comparison that clears the lanes outside of the mask. */
    public Masked masked(Mask mask) {
        return new Masked(this, mask, false);
    }

    @Override
    public String toString() {
        return Printer.register(this);
    }
}
