package dev.millrace.kernels.expression;

/** The kind of value that a lane holds during a computation. */
public enum Kind {
    /** A float of 32 bits. */
    FLOAT,
    /** A signed int of 32 bits. Its arithmetic wraps around. */
    INT,
    /** A truth value, 0 or 1. */
    BOOL
}
