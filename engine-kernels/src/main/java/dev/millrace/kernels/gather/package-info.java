/** Rows and elements by indices: gathered, scattered, looked up. */
@NullMarked
package dev.millrace.kernels.gather;

import org.jspecify.annotations.NullMarked;
