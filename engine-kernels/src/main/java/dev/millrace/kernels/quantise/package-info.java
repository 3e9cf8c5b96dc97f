/** Linear quantisation of tensors, and dequantisation. */
@NullMarked
package dev.millrace.kernels.quantise;

import org.jspecify.annotations.NullMarked;
