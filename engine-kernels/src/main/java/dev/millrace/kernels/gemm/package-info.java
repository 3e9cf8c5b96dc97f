/**
 * The kernels of matrix products in fp32: register tiles with their epilogues, and the packing of the constant factor.
 */
@NullMarked
package dev.millrace.kernels.gemm;

import org.jspecify.annotations.NullMarked;
