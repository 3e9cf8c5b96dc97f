package dev.millrace.codegen.program;

/** A truth value for each lane. */
public record MaskVar(int id, String name) implements Variable {
    @Override
    public String toString() {
        return name + "." + id;
    }
}
