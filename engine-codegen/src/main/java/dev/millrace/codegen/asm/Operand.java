package dev.millrace.codegen.asm;

/** An operand of an instruction: a register, a memory location, a constant, or a destination under a mask. */
public sealed interface Operand permits Gpr, Vec, Mask, Mem, Imm, Masked {}
