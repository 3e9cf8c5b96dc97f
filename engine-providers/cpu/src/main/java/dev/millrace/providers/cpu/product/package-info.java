/** Matrix products and operators built on them: MatMul, Gemm, Linear, their quantised forms, Einsum. */
@NullMarked
package dev.millrace.providers.cpu.product;

import org.jspecify.annotations.NullMarked;
