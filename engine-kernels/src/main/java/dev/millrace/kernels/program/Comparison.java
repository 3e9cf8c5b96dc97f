package dev.millrace.kernels.program;

/** A comparison of floats. With NaN on either side only {@link #NOT_EQUAL} and {@link #UNORDERED} hold. */
public enum Comparison {
    EQUAL("=="),
    LESS("<"),
    LESS_OR_EQUAL("<="),
    NOT_EQUAL("!="),
    GREATER_OR_EQUAL(">="),
    GREATER(">"),
    /** Either side is NaN. */
    UNORDERED("unordered");

    private final String symbol;

    Comparison(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
