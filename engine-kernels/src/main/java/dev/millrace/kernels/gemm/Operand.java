package dev.millrace.kernels.gemm;

/** What else an epilogue reads: which number goes with which element of the result. */
public enum Operand {
    /** A number for each column. */
    COLUMN,
    /** A number for each row. */
    ROW,
    /** A number for each element: a matrix of the shape of the result. */
    ELEMENT,
    /** One number. */
    SINGLE
}
