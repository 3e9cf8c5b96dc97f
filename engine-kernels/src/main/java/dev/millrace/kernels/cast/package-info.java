/** Conversions between the types of numbers. */
@NullMarked
package dev.millrace.kernels.cast;

import org.jspecify.annotations.NullMarked;
