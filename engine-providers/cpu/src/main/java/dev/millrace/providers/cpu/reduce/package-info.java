/** Operators that fold or scan along axes: reductions, arg-max, cumulative sums, softmax. */
@NullMarked
package dev.millrace.providers.cpu.reduce;

import org.jspecify.annotations.NullMarked;
