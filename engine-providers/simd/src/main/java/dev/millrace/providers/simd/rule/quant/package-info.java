/** Rules of quantised operators: products and convolutions of bytes, quantisation, dequantised operands. */
@NullMarked
package dev.millrace.providers.simd.rule.quant;

import org.jspecify.annotations.NullMarked;
