/** Reductions over any axes, and of elementwise expressions along rows in one pass. */
@NullMarked
package dev.millrace.kernels.reduce;

import org.jspecify.annotations.NullMarked;
