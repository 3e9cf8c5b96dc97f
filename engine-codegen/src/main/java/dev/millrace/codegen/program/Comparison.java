package dev.millrace.codegen.program;

/** A comparison of floats, or of ints. With NaN on either side only {@link #NOT_EQUAL} and {@link #UNORDERED} hold. */
public enum Comparison {
    EQUAL("=="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    NOT_EQUAL("!="),
    GREATER_OR_EQUAL(">="),
    GREATER(">"),
    /** Whether either side is NaN. */
    UNORDERED("unordered"),
    INT_EQUAL("==i"),
    /** The comparison of signed ints. */
    INT_GREATER(">i");

    private final String symbol;

    Comparison(String symbol) {
        this.symbol = symbol;
    }

    public boolean isOfInts() {
        return this == INT_EQUAL || this == INT_GREATER;
    }

    public String symbol() {
        return symbol;
    }
}
