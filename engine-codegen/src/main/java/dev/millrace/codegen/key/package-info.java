/** Kernel families, the keys that name their kernels, and the set of kernels that a process has emitted. */
@NullMarked
package dev.millrace.codegen.key;

import org.jspecify.annotations.NullMarked;
