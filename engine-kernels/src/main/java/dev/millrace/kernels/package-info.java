/// Fast kernels: families of programs that are lowered to machine code, to the Vector API or to an interpreter, and the
/// drivers that call them. [Kernels] is the entry point.
@NullMarked
package dev.millrace.kernels;

import org.jspecify.annotations.NullMarked;
