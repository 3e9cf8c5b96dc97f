package dev.millrace.kernels.lowp;

import dev.millrace.kernels.cast.FloatType;

/**
 * The shape and types of a product with stored weights, independent of the memory of its operands.
 *
 * @param m rows of A and C
 * @param n columns of C
 * @param k columns of A
 * @param rounded whether A may be rounded to bytes
 */
public record WeightExtents(long m, long n, long k, FloatType typeOfA, FloatType typeOfC, boolean rounded) {}
