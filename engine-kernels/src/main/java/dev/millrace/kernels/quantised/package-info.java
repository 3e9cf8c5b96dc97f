/** Products of quantised matrices, exact in integers, with what follows them fused. */
@NullMarked
package dev.millrace.kernels.quantised;

import org.jspecify.annotations.NullMarked;
