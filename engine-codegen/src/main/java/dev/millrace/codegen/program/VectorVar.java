package dev.millrace.codegen.program;

/** A vector of 32-bit lanes; a step decides whether they are floats or ints. */
public record VectorVar(int id, String name) implements Variable, ProgramValue {
    @Override
    public String toString() {
        return name + "." + id;
    }
}
