/** Weights packed in the layouts that kernels read, and the maps that unpack them again. */
@NullMarked
package dev.millrace.providers.simd.weights;

import org.jspecify.annotations.NullMarked;
