/** Quantisation of tensors. */
@NullMarked
package dev.millrace.providers.cpu.quant;

import org.jspecify.annotations.NullMarked;
