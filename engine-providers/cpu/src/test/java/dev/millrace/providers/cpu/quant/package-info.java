/** Tests of quantisation. */
@NullMarked
package dev.millrace.providers.cpu.quant;

import org.jspecify.annotations.NullMarked;
