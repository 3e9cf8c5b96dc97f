/** Weights as kernels read them. */
@NullMarked
package dev.millrace.providers.simd.weights;

import org.jspecify.annotations.NullMarked;
