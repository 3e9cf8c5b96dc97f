package dev.millrace.codegen.program.plain;

/** What a value that a kernel is given stands for, as far as its program shows. */
enum Role {
    /** Elements of a vector. */
    DATA,
    /** Elements that count from the base of a gather. */
    INDEX,
    /** A count, a distance in bytes, or a flag. */
    NUMBER,
    /** What becomes a number of lanes, perhaps after whole vectors were taken off. */
    LANES,
    /** Two numbers in the halves of a scalar. */
    PAIR,
    /** Where memory starts. */
    POINTER
}
