/** Linear quantisation of tensors, back and forth. */
@NullMarked
package dev.millrace.kernels.quantise;

import org.jspecify.annotations.NullMarked;
