/** Copies between layouts: transposes, slices, repeats, and all other copies that strides describe. */
@NullMarked
package dev.millrace.kernels.layout;

import org.jspecify.annotations.NullMarked;
