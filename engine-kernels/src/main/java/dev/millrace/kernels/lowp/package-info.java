/**
 * Products of quantised matrices, exact in integers, and products with weights stored in 16, 8 or 4 bits, with fused
 * epilogues. A quad, in names four, is four consecutive elements of K of one column, which byte instructions multiply
 * together.
 */
@NullMarked
package dev.millrace.kernels.lowp;

import org.jspecify.annotations.NullMarked;
