package dev.millrace.codegen.program;

/**
 * What a step computes of vectors whose lanes are pairs: the lower 32 bits and the upper ones of a double, or of a whole number
 * of 64 bits. What is asked for has all bits where it is true.
 */
public enum WideOp {
    ADD("+d"),
    SUB("-d"),
    MUL("*d"),
    DIV("/d"),
    /** {@code a < b ? a : b}: the second when either is NaN, or both are zeros. */
    MIN("min d"),
    /** {@code a > b ? a : b}: the second when either is NaN, or both are zeros. */
    MAX("max d"),
    EQUAL("== d"),
    LESS("< d"),
    LESS_OR_EQUAL("<= d"),
    INT_ADD("+l"),
    INT_SUB("-l"),
    /** The product of the lower halves of both, without sign. */
    INT_PRODUCT("*l"),
    INT_EQUAL("== l"),
    INT_GREATER("> l");

    private final String symbol;

    WideOp(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }

    public boolean asks() {
        return switch (this) {
            case EQUAL, LESS, LESS_OR_EQUAL, INT_EQUAL, INT_GREATER -> true;
            default -> false;
        };
    }
}
