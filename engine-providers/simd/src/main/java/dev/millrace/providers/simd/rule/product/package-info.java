/** Rules of float products: MatMul, Gemm, Einsum, products by stored weights. */
@NullMarked
package dev.millrace.providers.simd.rule.product;

import org.jspecify.annotations.NullMarked;
