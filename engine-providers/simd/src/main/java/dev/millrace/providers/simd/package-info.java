/**
 * The provider that compiles: products by constant weights with what surrounds them, and chains of elementwise
 * operators, become programs over packed weights that can be kept and loaded again.
 */
@NullMarked
package dev.millrace.providers.simd;

import org.jspecify.annotations.NullMarked;
