package dev.millrace.codegen.asm;

/** What an instruction can be given: a register, a memory location, a constant, or a destination under a mask. */
public sealed interface Operand permits Gpr, Vec, Mask, Mem, Imm, Masked {}
