/** A partition made ready for one tuple of shapes: steps over views of storages, placed in one block of memory. */
@NullMarked
package dev.millrace.providers.simd.program;

import org.jspecify.annotations.NullMarked;
