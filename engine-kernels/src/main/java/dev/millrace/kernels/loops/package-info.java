/** What kernels over rows have in common: walking a row, and shares of rows for threads. */
@NullMarked
package dev.millrace.kernels.loops;

import org.jspecify.annotations.NullMarked;
