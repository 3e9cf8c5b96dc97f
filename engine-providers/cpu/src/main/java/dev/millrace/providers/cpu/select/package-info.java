/** Operators that choose elements by their values: the largest, the distinct, the non-zero, the best boxes. */
@NullMarked
package dev.millrace.providers.cpu.select;

import org.jspecify.annotations.NullMarked;
