package dev.millrace.codegen.program;

/** The operation of a step that computes each lane from one value. */
public enum UnaryOp {
    COPY,
    SQRT,
    /** Rounds to the nearest integer, ties to even; the result is a float. */
    ROUND,
    FLOOR,
    CEIL,
    TRUNCATE,
    /** Converts to the nearest int, ties to even; values that do not fit, and NaN, become the least int. */
    TO_INT,
    /** Converts an int to a float, rounded to nearest even. */
    TO_FLOAT
}
