package dev.millrace.kernels.expression;

import dev.millrace.kernels.cast.NumberType;

/** A function of two numbers of 64 bits, doubles or ints. NaN on either side gives NaN; ints wrap around. */
public enum WideFunction {
    ADD,
    SUB,
    MUL,
    /** Of doubles. */
    DIV,
    /** Of zeros of both signs, either. */
    MAX,
    /** Of zeros of both signs, either. */
    MIN,
    EQUAL,
    LESS,
    LESS_OR_EQUAL;

    /** Whether it gives truths, a byte each. */
    public boolean isComparison() {
        return compareTo(EQUAL) >= 0;
    }

    public boolean takes(NumberType type) {
        return type == NumberType.F64 || type == NumberType.S64 && this != DIV;
    }
}
