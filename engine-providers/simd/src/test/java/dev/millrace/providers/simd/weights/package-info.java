/** Tests of packed weights. */
@NullMarked
package dev.millrace.providers.simd.weights;

import org.jspecify.annotations.NullMarked;
