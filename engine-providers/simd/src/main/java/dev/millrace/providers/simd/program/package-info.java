/**
 * Programs: partitions bound to one tuple of shapes, as steps over views of storages that are placed in one block of
 * memory.
 */
@NullMarked
package dev.millrace.providers.simd.program;

import org.jspecify.annotations.NullMarked;
