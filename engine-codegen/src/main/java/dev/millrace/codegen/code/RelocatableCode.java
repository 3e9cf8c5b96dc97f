package dev.millrace.codegen.code;

/** Finished machine code that runs at any multiple of 64, with a name for the reader of a profile or a crash log. */
public record RelocatableCode(String name, byte[] bytes) {}
