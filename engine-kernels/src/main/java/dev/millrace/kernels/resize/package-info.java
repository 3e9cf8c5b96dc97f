/** Resizing along any axes: nearest, linear and cubic, one axis after the other. */
@NullMarked
package dev.millrace.kernels.resize;

import org.jspecify.annotations.NullMarked;
