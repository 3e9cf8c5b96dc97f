/** Operators that compute each element by itself: unary, binary and variadic arithmetic, comparisons, casts. */
@NullMarked
package dev.millrace.providers.cpu.elementwise;

import org.jspecify.annotations.NullMarked;
