package dev.millrace.codegen.asm;

/** A vector register. Numbers from 16 up, and all of width {@link Width#Z}, exist with EVEX only. */
public record Vec(Width width, int number) implements Operand {
    private static final int COUNT = 32;
    /** All there are, by width and number. */
    private static final Vec[] ALL = all();

    public Vec {
        if (number < 0 || number >= COUNT) {
            throw new IllegalArgumentException("vector register " + number + " does not exist: 0 to 31 do");
        }
    }

    private static Vec[] all() {
        Width[] widths = Width.values();
        var all = new Vec[widths.length * COUNT];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Vec(widths[i / COUNT], i % COUNT);
        }
        return all;
    }

    public static Vec of(Width width, int number) {
        return number >= 0 && number < COUNT ? ALL[width.ordinal() * COUNT + number] : new Vec(width, number);
    }

    public static Vec xmm(int number) {
        return of(Width.X, number);
    }

    public static Vec ymm(int number) {
        return of(Width.Y, number);
    }

    public static Vec zmm(int number) {
        return of(Width.Z, number);
    }

    /** The register of the same number in another width. */
    public Vec as(Width other) {
        return of(other, number);
    }

    /** This register as a destination whose lanes outside of the mask keep their value. */
    public Masked masked(Mask mask) {
        return new Masked(this, mask, false);
    }

    /** This register as a destination whose lanes outside of the mask become zero. */
    public Masked zeroing(Mask mask) {
        return new Masked(this, mask, true);
    }

    @Override
    public String toString() {
        return Printer.register(this);
    }
}
