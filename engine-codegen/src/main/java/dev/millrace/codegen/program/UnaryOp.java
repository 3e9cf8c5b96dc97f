package dev.millrace.codegen.program;

/** What a step computes in each lane from one value. */
public enum UnaryOp {
    COPY,
    SQRT,
    /** To the nearest integer, a half to the even one; stays a float. */
    ROUND,
    FLOOR,
    CEIL,
    TRUNCATE,
    /** To the nearest int, a half to the even one; what does not fit, and NaN, becomes the least int. */
    TO_INT,
    /** From an int, rounded to nearest even. */
    TO_FLOAT
}
