package dev.millrace.codegen.program;

/** Arithmetic on 64 bits. Shifts are by a constant, 0 to 63; SHR is logical. */
public enum ScalarOp {
    ADD("+"),
    SUB("-"),
    MUL("*"),
    AND("&"),
    SHL("<<"),
    SHR(">>>"),
    /** With sign. */
    MIN("min"),
    /** With sign. */
    MAX("max");

    private final String symbol;

    ScalarOp(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
