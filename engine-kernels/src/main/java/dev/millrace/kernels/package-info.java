/// Fast kernels: families of programs that are lowered to machine code, with an interpreter behind it. [Kernels] is
/// where
/// to begin.
@NullMarked
package dev.millrace.kernels;

import org.jspecify.annotations.NullMarked;
