/** Attacks on drivers and kernels: freed memory, truncated files, mutated keys. */
@NullMarked
package dev.millrace.kernels.fire;

import org.jspecify.annotations.NullMarked;
