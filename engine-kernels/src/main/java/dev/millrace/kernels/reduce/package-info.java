/** Reductions over any axes. */
@NullMarked
package dev.millrace.kernels.reduce;

import org.jspecify.annotations.NullMarked;
