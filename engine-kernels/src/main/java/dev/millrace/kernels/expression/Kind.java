package dev.millrace.kernels.expression;

/** What a lane holds while it is computed with. */
public enum Kind {
    /** A float of 32 bits. */
    FLOAT,
    /** An int of 32 bits with sign. Its arithmetic wraps around. */
    INT,
    /** 0 or 1. */
    BOOL
}
