/** Conversions between the types of numbers: floats, signed and unsigned ints from 4 to 64 bits, and truth values. */
@NullMarked
package dev.millrace.kernels.cast;

import org.jspecify.annotations.NullMarked;
