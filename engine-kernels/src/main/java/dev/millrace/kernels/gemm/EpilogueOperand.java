package dev.millrace.kernels.gemm;

/** The shape of a further operand of an epilogue, which decides its number for an element of the result. */
public enum EpilogueOperand {
    /** A number for each column. */
    COLUMN,
    /** A number for each row. */
    ROW,
    /** A number for each element: a matrix of the shape of the result. */
    ELEMENT,
    /** A single number. */
    SINGLE
}
