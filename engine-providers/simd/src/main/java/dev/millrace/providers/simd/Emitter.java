package dev.millrace.providers.simd;

/** Writes what a node does as steps of an expression. */
@FunctionalInterface
interface Emitter {
    /** Adds steps that compute on the values with these numbers, and returns the number of the result. */
    int emit(ExpressionBuilder builder, int[] values);
}
