/**
 * Selection along an axis: the position of the largest or smallest element (arg-max), the k best elements (top-k); and
 * running sums and products.
 */
@NullMarked
package dev.millrace.kernels.axis;

import org.jspecify.annotations.NullMarked;
