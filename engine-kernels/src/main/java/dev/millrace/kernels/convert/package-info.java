/** Conversions between the types of numbers. */
@NullMarked
package dev.millrace.kernels.convert;

import org.jspecify.annotations.NullMarked;
