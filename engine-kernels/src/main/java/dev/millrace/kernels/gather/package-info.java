/** Gathers, scatters and lookups of rows and elements by indices. */
@NullMarked
package dev.millrace.kernels.gather;

import org.jspecify.annotations.NullMarked;
