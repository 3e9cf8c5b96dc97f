package dev.millrace.kernels.expression;

/**
 * A function of two values of one {@link Kind}. Floats are rounded once, and NaN on either side gives NaN; ints wrap
 * around.
 */
public enum Operator {
    ADD,
    SUB,
    MUL,
    /** Of ints, the quotient without its fraction; of ints by zero, any. */
    DIV,
    /** Of zeros of both signs, either. */
    MAX,
    /** Of zeros of both signs, either. */
    MIN,
    /**
     * What is left of the left side after a division without fraction: it has the sign of the left side. Of floats it
     * is exact while the quotient is below 2^60; of ints by zero, any.
     */
    REMAINDER,
    /** Of floats, within 2 units of the last place. */
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

    /** @throws IllegalArgumentException if it cannot be taken of these */
    Kind kindOf(Kind left, Kind right) {
        if (left != right || !takes(left)) {
            throw new IllegalArgumentException(name() + " cannot be taken of " + left + " and " + right);
        }
        return isComparison() ? Kind.BOOL : left;
    }
}
