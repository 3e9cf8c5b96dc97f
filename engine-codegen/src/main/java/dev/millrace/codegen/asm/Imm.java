package dev.millrace.codegen.asm;

/** A constant in the instruction itself. */
public record Imm(long value) implements Operand {
    public static Imm of(long value) {
        return new Imm(value);
    }
}
