/** Families of kernels, the keys that name their members, and the set of those that a process has emitted. */
@NullMarked
package dev.millrace.codegen.key;

import org.jspecify.annotations.NullMarked;
