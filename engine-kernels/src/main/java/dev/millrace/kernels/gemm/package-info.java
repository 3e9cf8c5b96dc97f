/**
 * Matrix products in fp32: register tiles with their epilogues, the packing of a constant factor into panels, and the
 * drivers that block products for caches and threads.
 */
@NullMarked
package dev.millrace.kernels.gemm;

import org.jspecify.annotations.NullMarked;
