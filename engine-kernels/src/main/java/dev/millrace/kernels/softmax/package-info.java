/** Softmax and its logarithm. */
@NullMarked
package dev.millrace.kernels.softmax;

import org.jspecify.annotations.NullMarked;
