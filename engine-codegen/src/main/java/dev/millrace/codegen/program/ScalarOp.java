package dev.millrace.codegen.program;

/** The operation of a scalar step, on 64 bits. Shifts are by a constant, 0 to 63; SHR is logical. */
public enum ScalarOp {
    ADD("+"),
    SUB("-"),
    MUL("*"),
    AND("&"),
    SHL("<<"),
    SHR(">>>"),
    /** The signed minimum. */
    MIN("min"),
    /** The signed maximum. */
    MAX("max");

    private final String symbol;

    ScalarOp(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
