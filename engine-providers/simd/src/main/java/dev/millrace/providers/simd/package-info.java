/**
 * The compiling provider {@code simd}. Products by constant weights with their epilogues, and chains of elementwise
 * operators, become programs over packed weights, which can be kept in context binaries and loaded again.
 */
@NullMarked
package dev.millrace.providers.simd;

import org.jspecify.annotations.NullMarked;
