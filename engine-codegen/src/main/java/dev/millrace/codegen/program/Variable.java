package dev.millrace.codegen.program;

/** A virtual register of a program. It may be assigned any number of times. */
public sealed interface Variable permits VectorVar, MaskVar, ScalarVar {
    /** Unique in the program, counted from 0 across all kinds. */
    int id();

    /** Not unique; with the id behind it, it is. */
    String name();
}
