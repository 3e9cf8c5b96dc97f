package dev.millrace.kernels.expression;

/**
 * A function of two values of one {@link Kind}. Floats are rounded once, and NaN on either side gives NaN; ints wrap
 * around.
 */
public enum Operator {
    ADD,
    SUB,
    MUL,
    /** The quotient; ints lose its fraction, and the quotient of an int by zero is unspecified. */
    DIV,
    /** The larger value; for zeros of both signs, either of them. */
    MAX,
    /** The smaller value; for zeros of both signs, either of them. */
    MIN,
    /**
     * The remainder of a division without fraction: it has the sign of the left side. For floats it is exact while the
     * quotient is below 2^60; for an int by zero it is unspecified.
     */
    REMAINDER,
    /** The power of a float, within 2 units of the last place. */
    POWER,
    AND,
    OR,
    XOR,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL;

    public boolean isComparison() {
        return compareTo(EQUAL) >= 0;
    }

    private boolean takes(Kind kind) {
        return switch (this) {
            case POWER -> kind == Kind.FLOAT;
            case AND, OR, XOR -> kind != Kind.FLOAT;
            case EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> true;
            default -> kind != Kind.BOOL;
        };
    }

    /**
     * Returns the kind of the result.
     *
     * @throws IllegalArgumentException if this operator does not take these kinds
     */
    Kind kindOf(Kind left, Kind right) {
        if (left != right || !takes(left)) {
            throw new IllegalArgumentException(name() + " cannot be taken of " + left + " and " + right);
        }
        return isComparison() ? Kind.BOOL : left;
    }
}
