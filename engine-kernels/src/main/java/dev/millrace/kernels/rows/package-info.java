/** Kernels over rows: two loops around the rows of some operands in the kernel, any number of loops in the driver. */
@NullMarked
package dev.millrace.kernels.rows;

import org.jspecify.annotations.NullMarked;
