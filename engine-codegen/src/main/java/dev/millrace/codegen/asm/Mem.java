package dev.millrace.codegen.asm;

import org.jspecify.annotations.Nullable;

/**
 * A memory location: {@code base + index * scale + displacement}, or a label plus a displacement.
 *
 * @param base null when {@code label} is given
 * @param index a 64-bit {@link Gpr}, or a {@link Vec} for gathers and scatters
 * @param broadcast whether one element is read and given to all lanes (EVEX)
 */
public record Mem(
        @Nullable Gpr base,
        @Nullable Operand index,
        int scale,
        int displacement,
        boolean broadcast,
        @Nullable Label label)
        implements Operand {
    public Mem {
        if ((base == null) == (label == null)) {
            throw new IllegalArgumentException("a memory operand has either a base register or a label");
        }
        if (base != null && base.bytes() != 8) {
            throw new IllegalArgumentException("the base of an address has 8 bytes");
        }
        if (label != null && index != null) {
            throw new IllegalArgumentException("an address from a label has no index");
        }
        if (scale != 1 && scale != 2 && scale != 4 && scale != 8) {
            throw new IllegalArgumentException("an index is scaled by 1, 2, 4 or 8, not " + scale);
        }
        if (index instanceof Gpr gpr && (gpr.number() == 4 || gpr.bytes() != 8)) {
            throw new IllegalArgumentException("an index has 8 bytes and is not rsp");
        }
        if (index != null && !(index instanceof Gpr) && !(index instanceof Vec)) {
            throw new IllegalArgumentException("an index is a register: " + index);
        }
    }

    public static Mem at(Gpr base) {
        return at(base, 0);
    }

    public static Mem at(Gpr base, int displacement) {
        return new Mem(base, null, 1, displacement, false, null);
    }

    public static Mem at(Gpr base, Operand index, int scale, int displacement) {
        return new Mem(base, index, scale, displacement, false, null);
    }

    /** The bytes at a label of the same assembler. */
    public static Mem at(Label label) {
        return new Mem(null, null, 1, 0, false, label);
    }

    public Mem plus(int bytes) {
        return new Mem(base, index, scale, Math.addExact(displacement, bytes), broadcast, label);
    }

    /** One element at this place, for all lanes. */
    public Mem toAllLanes() {
        return new Mem(base, index, scale, displacement, true, label);
    }

    /** This place as a destination of which only the lanes of a mask are written. */
    public Masked masked(Mask mask) {
        return new Masked(this, mask, false);
    }
}
