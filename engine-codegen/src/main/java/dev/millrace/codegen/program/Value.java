package dev.millrace.codegen.program;

/** What a vector step reads: a register, or the same 32 bits in all lanes. */
public sealed interface Value permits VectorVar, Constant {}
