package dev.millrace.codegen.asm;

/**
 * A destination that is written in the lanes of a mask only.
 *
 * @param target a vector register, a mask register or a memory location
 * @param zeroing whether the other lanes become zero; otherwise they keep their value
 */
public record Masked(Operand target, Mask mask, boolean zeroing) implements Operand {
    public Masked {
        if (mask.number() == 0) {
            throw new IllegalArgumentException("k0 cannot be a write mask: its code means that there is no mask");
        }
        if (!(target instanceof Vec || target instanceof Mask || target instanceof Mem)) {
            throw new IllegalArgumentException("only vectors, masks and memory are written under a mask: " + target);
        }
        if (zeroing && !(target instanceof Vec)) {
            throw new IllegalArgumentException("only a vector register can have its other lanes zeroed");
        }
    }
}
