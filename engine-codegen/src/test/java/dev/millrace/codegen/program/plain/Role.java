package dev.millrace.codegen.program.plain;

/** The role of a value that a kernel receives, as far as its program shows it. */
enum Role {
    /** Elements of a vector. */
    DATA,
    /** Elements that are indices of a gather. */
    INDEX,
    /** A count, a distance in bytes, or a flag. */
    NUMBER,
    /** A number of lanes, possibly after whole vectors were subtracted. */
    LANES,
    /** Two numbers in the halves of a scalar. */
    PAIR,
    /** The start of a memory region. */
    POINTER
}
