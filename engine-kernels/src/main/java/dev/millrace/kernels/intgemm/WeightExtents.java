package dev.millrace.kernels.intgemm;

import dev.millrace.kernels.cast.FloatType;

/**
 * What a product with stored weights is like, wherever its operands lie.
 *
 * @param m rows of A and C
 * @param n columns of C
 * @param k columns of A
 * @param rounded whether A may be rounded to bytes
 */
public record WeightExtents(long m, long n, long k, FloatType typeOfA, FloatType typeOfC, boolean rounded) {}
