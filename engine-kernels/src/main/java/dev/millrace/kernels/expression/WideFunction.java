package dev.millrace.kernels.expression;

import dev.millrace.kernels.cast.NumberType;

/** A function of two numbers of 64 bits, doubles or ints. NaN on either side gives NaN; ints wrap around. */
public enum WideFunction {
    ADD,
    SUB,
    MUL,
    /** The quotient of doubles. */
    DIV,
    /** The larger value; for zeros of both signs, either of them. */
    MAX,
    /** The smaller value; for zeros of both signs, either of them. */
    MIN,
    EQUAL,
    LESS,
    LESS_OR_EQUAL;

    /** Whether the results are truth values, a byte each. */
    public boolean isComparison() {
        return compareTo(EQUAL) >= 0;
    }

    public boolean takes(NumberType type) {
        return type == NumberType.F64 || type == NumberType.S64 && this != DIV;
    }
}
