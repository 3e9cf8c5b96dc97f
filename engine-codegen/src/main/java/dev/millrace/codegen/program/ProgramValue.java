package dev.millrace.codegen.program;

/** An operand of a vector step: a register, or the same 32 bits in all lanes. */
public sealed interface ProgramValue permits VectorVar, Constant {}
