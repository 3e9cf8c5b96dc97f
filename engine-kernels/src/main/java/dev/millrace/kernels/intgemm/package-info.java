/** Products of quantised matrices, exact in integers, with what follows them fused. */
@NullMarked
package dev.millrace.kernels.intgemm;

import org.jspecify.annotations.NullMarked;
