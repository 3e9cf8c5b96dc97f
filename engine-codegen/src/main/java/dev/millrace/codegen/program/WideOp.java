package dev.millrace.codegen.program;

/**
 * The operation of a step on pairs of lanes, which are the lower and the upper 32 bits of a double, or of a 64-bit
 * integer. Comparisons set all bits of a pair where they hold.
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
    /** The unsigned product of the lower halves of both. */
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
