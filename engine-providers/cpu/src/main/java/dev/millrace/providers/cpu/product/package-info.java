/** Matrix products and what is built on them: MatMul, Gemm, Linear, their quantised forms. */
@NullMarked
package dev.millrace.providers.cpu.product;

import org.jspecify.annotations.NullMarked;
