/** What kernels over rows have in common: walking a row, and shares of rows for threads. */
@NullMarked
package dev.millrace.kernels.rowwise;

import org.jspecify.annotations.NullMarked;
