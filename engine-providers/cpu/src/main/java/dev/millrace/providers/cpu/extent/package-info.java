/** Extents of tensors converted to the int sizes of arrays, with checks of their limits before arrays are allocated. */
@NullMarked
package dev.millrace.providers.cpu.extent;

import org.jspecify.annotations.NullMarked;
