package dev.millrace.kernels.program;

/** What a step computes in each lane from two values. Floats are rounded to nearest even. */
public enum BinaryOp {
    ADD("+", true),
    SUB("-", false),
    MUL("*", true),
    DIV("/", false),
    /** {@code a < b ? a : b}: the second when either is NaN, or both are zeros. */
    MIN("min", false),
    /** {@code a > b ? a : b}: the second when either is NaN, or both are zeros. */
    MAX("max", false),
    AND("&", true),
    OR("|", true),
    XOR("^", true),
    INT_ADD("+i", true),
    INT_SUB("-i", false),
    /** By the same constant in all lanes, 0 to 31. */
    SHIFT_LEFT("<<", false),
    /** By the same constant in all lanes, 0 to 31; zeros come in from the left. */
    SHIFT_RIGHT(">>>", false),
    /** {@code a * 2^b}, rounded once, for a between 0.25 and 4 and an integral b between -252 and 252. */
    SCALE("scale", false);

    private final String symbol;
    private final boolean commutative;

    BinaryOp(String symbol, boolean commutative) {
        this.symbol = symbol;
        this.commutative = commutative;
    }

    public String symbol() {
        return symbol;
    }

    public boolean commutative() {
        return commutative;
    }

    public boolean isShift() {
        return this == SHIFT_LEFT || this == SHIFT_RIGHT;
    }
}
