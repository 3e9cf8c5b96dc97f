package dev.millrace.kernels.expression;

/** A function of two floats, rounded once. NaN on either side gives NaN. */
public enum Operator {
    ADD,
    SUB,
    MUL,
    DIV,
    /** Of zeros of both signs, either. */
    MAX,
    /** Of zeros of both signs, either. */
    MIN
}
