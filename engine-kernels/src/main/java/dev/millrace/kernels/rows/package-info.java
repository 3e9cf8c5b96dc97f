/** The loops of kernels over rows and columns of elements, and the division of rows among threads. */
@NullMarked
package dev.millrace.kernels.rows;

import org.jspecify.annotations.NullMarked;
