package dev.millrace.codegen.program;

/** 64 bits: a pointer, a counter, a distance in bytes. */
public record ScalarVar(int id, String name) implements Variable {
    @Override
    public String toString() {
        return name + "." + id;
    }
}
