/** Copies between layouts: transposes, slices, repeats, and whatever else strides can say. */
@NullMarked
package dev.millrace.kernels.layout;

import org.jspecify.annotations.NullMarked;
