/** Extents as kernels need them, checked before arrays are made of them. */
@NullMarked
package dev.millrace.providers.cpu.extent;

import org.jspecify.annotations.NullMarked;
