/** Elementwise expressions: trees of functions and operators, their text form, and their writing into programs. */
@NullMarked
package dev.millrace.kernels.expression;

import org.jspecify.annotations.NullMarked;
